/** Returns the anchors of a page: those that GitHub gives to headings, and those of `<a id="…">`. */
export function anchorsOf(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/&[lg]t;/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...page.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id)]
}
