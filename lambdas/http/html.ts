/** Markup that is ready to send: its values are escaped already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What a template takes. Text is escaped; `null`, `undefined` and `false` print nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

/**
 * Makes markup: html`<p>${text}</p>`. Every value that is not markup itself is escaped, in attributes too.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0] ?? ''
  values.forEach((value, i) => {
    text += printed(value) + (parts[i + 1] ?? '')
  })
  return new Html(text)
}

function printed(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(printed).join('')
  return value === null || value === undefined || value === false ? '' : escaped(String(value))
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] as string)
}
