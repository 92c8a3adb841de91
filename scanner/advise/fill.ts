/** What stands in the braces of a template. */
export type Places = Readonly<Record<string, string>>

/** A template as a sentence. */
export function fillSentence(template: string, places: Places): string {
  const text = fill(template, places)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Puts the places of a site into a template. A name without a place is a mistake in the template, so it
 * throws.
 */
export function fill(template: string, places: Places): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = places[name]
    if (value === undefined) throw new Error(`The template has no place for {${name}}: ${template}`)
    return value
  })
}
