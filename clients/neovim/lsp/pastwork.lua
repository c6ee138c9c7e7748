-- `vim.lsp.enable('pastwork')` is all it takes. Options: `vim.g.pastwork` (:help pastwork-options).
return require('pastwork.client').config()
