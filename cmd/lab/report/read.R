# Reads the downloaded results.jsonl.gz and draws throughput over size.
# install.packages(c("jsonlite", "ggplot2"))
library(jsonlite)
library(ggplot2)
cells <- stream_in(file("results.jsonl.gz"), verbose = FALSE)
cells <- flatten(subset(cells, status == "ok"))      # device.median, wall.lo, env.device, …
for (col in c("device.median", "device.lo", "device.hi")) {
  if (is.null(cells[[col]])) cells[[col]] <- NA_real_
  wall <- sub("device", "wall", col)
  cells[[col]] <- ifelse(is.na(cells[[col]]), cells[[wall]], cells[[col]])  # host sorts
}
rate <- function(ns) cells$items / ns * 1e3          # million items per second
cells$fast <- rate(cells$device.lo)
cells$slow <- rate(cells$device.hi)
cells$rate <- rate(cells$device.median)
cells$sort <- paste(cells$algo, cells$device_id)
ggplot(subset(cells, dist == "uniform"), aes(items, rate, colour = sort, fill = sort)) +
  geom_ribbon(aes(ymin = slow, ymax = fast), alpha = 0.2, colour = NA) +
  geom_line() + geom_point() +
  scale_x_continuous(trans = "log2") + scale_y_log10() +
  facet_grid(key_type ~ mode) +
  labs(x = "items", y = "million items per second")
# All samples of the first cell, in nanoseconds: cells$wall_ns[[1]]
