import type { ScanResult } from '#schemas/website-scans'

/** The file in the site's repository that says which events the site sends. */
export const EVENT_PLAN_FILE = 'footfall-events.json'

/**
 * The content of the event-plan file: whoever changes the site later sees in its repository which elements
 * send events, and POST /website-scans/{id}/verify names what the file and the events disagree about.
 */
export function eventPlan(
  analysisId: string,
  { hostname, minimum_viable_instrumentation }: ScanResult,
): string {
  const events = minimum_viable_instrumentation.map(({ event, properties, placement }) => ({
    event,
    sent_by: placement.method,
    page: placement.page,
    selector: placement.selector,
    also: placement.also.map(({ page, selector }) => ({ page, selector })),
    properties: properties.map(({ name }) => name),
    installed: false,
  }))
  return JSON.stringify({ version: 1, analysis_id: analysisId, hostname, events }, null, 2)
}
