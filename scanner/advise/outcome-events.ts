import type { OutcomeTemplate } from './event-template.ts'
import { FILLER_EVENTS } from './filler-events.ts'
import { PAGE_EVENTS } from './page-events.ts'
import { SERVER_EVENTS } from './server-events.ts'

/** Events that no element sends: what has happened in the end, and what is read without a click. */
export const OUTCOME_EVENTS: readonly OutcomeTemplate[] = [...SERVER_EVENTS, ...PAGE_EVENTS, ...FILLER_EVENTS]
