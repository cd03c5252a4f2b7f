# Fits with icenReg again what icenreg_datasets.json holds, and prints the largest difference of each number:
#   Rscript tests/reference/icenreg.R tests/reference/survival/icenreg_datasets.json
# exits with 1 where one is greater than TOLERANCE.
suppressMessages({library(icenReg); library(jsonlite)})
TOLERANCE <- c(llk = 1e-4, coef = 5e-3)
stored <- fromJSON(commandArgs(TRUE)[1], simplifyVector = TRUE)
worst <- c(llk = 0, coef = 0)

numbers <- function(x) suppressWarnings(as.numeric(unlist(x)))
compare <- function(name, kind, ours, theirs) {
  difference <- max(abs(numbers(ours) - numbers(theirs)))
  cat(sprintf("%-40s %-5s %.3g\n", name, kind, difference))
  worst[kind] <<- max(worst[kind], difference)
}

COLUMNS <- list(miceData = c("l", "u", "grp"), IR_diabetes = c("left", "right", "gender"),
                bcos = c("left", "right", "treatment"))
for (name in names(COLUMNS)) {
  own <- stored[[name]]
  frame <- data.frame(l = numbers(own[[COLUMNS[[name]][1]]]), r = numbers(own[[COLUMNS[[name]][2]]]),
                      group = unlist(own[[COLUMNS[[name]][3]]]))
  compare(paste(name, "NPMLE"), "llk", ic_np(cbind(frame$l, frame$r))$llk, own$np_all$llk)
  for (model in c("ph", "po")) {
    fit <- ic_sp(cbind(l, r) ~ group, data = frame, model = model, bs_samples = 0)
    compare(paste(name, "semi-parametric", model), "llk", fit$llk, own[[paste0("sp_", model)]]$llk)
    compare(paste(name, "semi-parametric", model), "coef", fit$coefficients, own[[paste0("sp_", model)]]$coef)
  }
  for (one in names(own$par)) {
    words <- strsplit(one, "/")[[1]]
    fit <- ic_par(cbind(l, r) ~ group, data = frame, model = words[2], dist = words[1])
    compare(paste(name, one), "llk", fit$llk, own$par[[one]]$llk)
  }
}
for (name in names(stored$edge)) {
  case <- stored$edge[[name]]
  B <- if (is.null(case$B)) c(0, 1) else numbers(case$B)
  fit <- try(ic_np(cbind(numbers(case$l), numbers(case$r)), B = B), silent = TRUE)
  if (!inherits(fit, "try-error") && !is.null(case$np$llk)) compare(paste("edge", name), "llk", fit$llk, case$np$llk)
}
cat(sprintf("largest: log-likelihood %.3g, coefficient %.3g\n", worst["llk"], worst["coef"]))
quit(status = as.integer(any(worst > TOLERANCE)))
