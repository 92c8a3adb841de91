/** Options of each thread of ours: it loads modules as the main thread of `npm start` does (modules.mjs). */
export const execArgv = [
  '--disable-warning=ExperimentalWarning',
  '--import',
  new URL('./modules.mjs', import.meta.url).href,
]
