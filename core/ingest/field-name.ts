/** How messages name a field: Field `event`, or in a batch: Field `event` of events[3]. */
export function fieldName(field: string, label: string): string {
  return label === '' ? `Field \`${field}\`` : `Field \`${field}\` of ${label}`
}
