#' @rdname dn_explain
#' @export
plot.deniable_explanation <- function(x, kind = c("icons", "curve"), ..., prior = 0.1) {
  kind <- match.arg(kind)
  x <- of_household(x)
  if (is.null(x$gamma_outside)) wrong("No theorem bounds beliefs under this guarantee.")
  if (!is.numeric(prior) || length(prior) != 1 || is.na(prior) || prior < 0 || prior > 1) {
    wrong("Expected `prior` between 0 and 1.")
  }
  if (kind == "icons") draw_icons(x, prior) else draw_curve(x)
}

draw_icons <- function(x, prior) {
  after <- belief_after(prior, x$gamma_outside)
  before <- graphics::par(mfrow = c(1, 2), mar = c(1, 1, 3, 1))
  on.exit(graphics::par(before))
  place <- expand.grid(across = 1:10, down = 10:1)
  draw <- function(belief, title) {
    number <- min(100, ceiling(signif(100 * belief, 12)))
    filled <- seq_len(100) <= number
    graphics::plot.new()
    graphics::plot.window(c(0.5, 10.5), c(0.5, 10.5), asp = 1)
    graphics::points(place, pch = 21, cex = 2, bg = ifelse(filled, "#c0392b", "white"))
    graphics::title(paste0(title, ": ", number, " of 100"))
  }
  draw(prior, "Before")
  draw(after, "After, at most")
  invisible(sentence(prior, after, x$exceedance))
}

draw_curve <- function(x) {
  factor <- range_factor(x)
  prior <- seq(0, 1, length.out = 201)
  upper <- belief_after(prior, factor)
  lower <- 1 - belief_after(1 - prior, factor)
  graphics::plot(
    c(0, 1), c(0, 1), type = "n", xaxs = "i", yaxs = "i", asp = 1,
    xlab = "Belief before", ylab = "Belief after"
  )
  graphics::polygon(c(prior, rev(prior)), c(upper, rev(lower)), col = "#d6e4f0", border = "#2c5f8a")
  graphics::abline(0, 1, lty = 2)
  invisible(paste0(
    "Beliefs after stay in a band around no change. A belief of 50 % stays between ",
    percent(1 - belief_after(0.5, factor), up = FALSE), " and ", percent(belief_after(0.5, factor)),
    "."
  ))
}

# The factor on odds that holds for both ends of a range together.
range_factor <- function(x) {
  if (is.null(x$households)) return(if (is.null(x$range_loss)) x$gamma_outside else exp(x$range_loss))
  beliefs <- as.data.frame(x)
  inside <- beliefs[beliefs$prior > 0 & beliefs$prior < 1, ]
  if (nrow(inside) > 0) {
    high <- inside[nrow(inside), ]
    return(high$upper * (1 - high$prior) / (high$prior * (1 - high$upper)))
  }
  if (isTRUE(x$exceedance > 0)) wrong("Give dn_explain() a `prior` between 0 and 1 for this curve.")
  x$households$ratio
}
