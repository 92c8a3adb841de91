import type { EventTemplate } from './event-template.ts'
import { SALES_EVENTS } from './sales-events.ts'
import { VISITOR_EVENTS } from './visitor-events.ts'

/** Events of elements that visitors use. The first template that takes an element has it. */
export const ACTION_EVENTS: readonly EventTemplate[] = [...SALES_EVENTS, ...VISITOR_EVENTS]
