/**
 * Where the new answer lacks or changes a value of the old one. A field that only the new one has is none.
 */
export function differencesIn(before: unknown, now: unknown, path = ''): string[] {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null)
    return before === now
      ? []
      : [`${path} is ${JSON.stringify(now)?.slice(0, 200)} after ${JSON.stringify(before)?.slice(0, 200)}`]
  if (Array.isArray(before) && Array.isArray(now) && before.length !== now.length)
    return [`${path} has ${now.length} items after ${before.length}`]
  return Object.entries(before).flatMap(([key, value]) =>
    differencesIn(value, (now as Record<string, unknown>)[key], `${path}/${key}`),
  )
}
