import stringWidth from 'string-width'

/** How many columns of a terminal a text takes: two for each wide character, none for its marks. */
export function widthOf(text: string): number {
  // Most texts are ASCII, and for them the segmenter is slow.
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text)
}

/** The text with blanks, `width` columns wide; a longer text is cut and ends with an ellipsis. */
export function fitted(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const cut = cutTo(text, width)
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cut)))
  return align === 'left' ? cut + blanks : blanks + cut
}

/** The text, at most `width` columns wide. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return '…'.slice(0, width)
  let [cut, used] = ['', 0]
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const next = widthOf(segment)
    if (used + next > width - 1) break
    cut += segment
    used += next
  }
  return `${cut}…`
}

/** The words of a text in lines of at most `width` columns; a longer word is broken. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`
    if (widthOf(joined) <= width) {
      current = joined
      continue
    }
    if (current !== '') lines.push(current)
    current = word
    while (widthOf(current) > width) {
      let [head, used] = ['', 0]
      for (const { segment } of new Intl.Segmenter().segment(current)) {
        if (used + widthOf(segment) > width && head !== '') break
        head += segment
        used += widthOf(segment)
      }
      lines.push(head)
      current = current.slice(head.length)
    }
  }
  return [...lines, current]
}
