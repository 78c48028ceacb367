"""The history of a price, as a table: `python price_history.py https://shop.example/tea .price [FOLDER]`."""

import sys

import veille

url, selector, *folder = sys.argv[1:]

with veille.open(*folder) as data:
    prices = data.dossier("prices")
    known = {source.url: source for source in prices.sources()}
    source = known.get(url) or prices.add(url, kind="page", values={"price": {"selector": selector}})
    prices.check(source)

    table = prices.values(source, name="price").to_pandas()
    print(table[["at", "value_number", "value_unit"]].to_string(index=False))
    print(f"Lowest: {table['value_number'].min()}, highest: {table['value_number'].max()}")
