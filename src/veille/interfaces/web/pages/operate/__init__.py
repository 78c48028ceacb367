"""For those who run it: runs, hosts, engines, repairs, statistics, exports, and the health of all."""
