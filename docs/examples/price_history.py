"""The history of a price, as a table: `python price_history.py https://shop.example/tea .price [FOLDER]`.

Run it as often as you like, by hand or by cron. The table is one of pandas: `pip install pandas`.
"""

import sys

import veille

url, selector, *folder = sys.argv[1:]

with veille.open(*folder) as data:
    prices = data.dossier("prices")
    # By name: the address is stored as it is fetched, which may be another spelling.
    known = {source.name: source for source in prices.sources()}
    source = known.get(url) or prices.add(url, name=url, kind="page", values={"price": {"selector": selector}})
    prices.check(source)

    table = prices.values(source, name="price").to_pandas()
    print(table[["at", "value_number", "value_unit"]].to_string(index=False))
    print(f"Lowest: {table['value_number'].min()}, highest: {table['value_number'].max()}")
