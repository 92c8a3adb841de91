import type { ComponentType } from 'preact'
import type { AnswersOf, Requests } from './answers.ts'
import type { Address } from './url.ts'

/** What a view knows beside its address. */
export type ViewContext = {
  address: Address
  /** The project of the reads; `demo` in the demo. */
  project: string
}

/**
 * A view: what it requests, all at once, and what it draws from the answers. It keeps no state beside its
 * address; a form may keep what is being typed.
 */
export type View<A extends Requests = Requests> = {
  /** Calls of one round, by a name. A pure function: the same address asks the same. */
  requests(context: ViewContext): A
  Draw: ComponentType<ViewContext & { answers: AnswersOf<A> }>
}

/** Gives a view its types: `export default defineView({ requests, Draw })`. */
export function defineView<A extends Requests>(view: View<A>): View {
  return view as unknown as View
}
