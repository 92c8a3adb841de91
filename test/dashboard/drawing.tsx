import { renderToString } from 'preact-render-to-string'
import { ask, askAll, knownAnswers } from '#dashboard/answers'
import { openAddress } from '#dashboard/open-address'
import { loadView } from '#dashboard/shell/load-view'
import { Shell } from '#dashboard/shell/shell.tsx'

/** The dashboard as markup. It is bundled for Node, and runs once for each page (drawn-view.ts). */

/** An answer may lead to other questions, such as the zone of the project. More rounds would not end. */
const MAX_ROUNDS = 6

/** Loads the view of the address, and draws it before anything is asked. */
export async function drawFirst(): Promise<string> {
  const row = openAddress()
  if (row !== undefined) await loadView(row)
  return renderToString(<Shell />)
}

/**
 * Requests what the drawing asks for, as the effects of a page do, and draws it, until nothing is left to
 * ask.
 */
export async function drawAnswered(): Promise<string> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const html = renderToString(<Shell />)
    const unasked = knownAnswers().filter(({ at, problem }) => at === 0 && problem === null)
    if (unasked.length === 0) return html
    await askAll(unasked.map(({ call }) => call))
  }
  throw new Error(`The view asks for something else in each of ${MAX_ROUNDS} rounds.`)
}

/** Requests again what is known already, as an open page does after a while. */
export async function askAgain(): Promise<void> {
  await Promise.all(knownAnswers().map(({ call }) => ask(call, 0)))
}
