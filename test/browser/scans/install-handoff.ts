import type { Page } from 'playwright-core'
import type { Placement } from '#schemas/website-scans'

/** One change that a hand-off asks for. */
export type Change = {
  event: string
  page: string
  selector: string
  code: string
  method: Placement['method']
}

/**
 * Reads the changes from the text of a hand-off, as an agent does: only what the text says is known. Events
 * without an element of a page are left out, because the corpus has no server and no results.
 */
export function changesOf(prompt: string): Change[] {
  return prompt
    .split(/^## \d+\. /m)
    .slice(1)
    .flatMap(section => {
      const event = section.split('\n', 1)[0] ?? ''
      const page = /^- Page: ("(?:[^"\\]|\\.)*")/m.exec(section)?.[1]
      const selector = /^- Element: ("(?:[^"\\]|\\.)*")/m.exec(section)?.[1]
      const attributes = /^- Add these attributes to the element: (.*)$/m.exec(section)?.[1]
      const call = /^- Add this call: (.*)$/m.exec(section)?.[1]
      if (page === undefined || selector === undefined) return []
      return [
        {
          event,
          page: JSON.parse(page) as string,
          selector: JSON.parse(selector) as string,
          code: attributes ?? call ?? '',
          method: attributes === undefined ? ('call' as const) : ('attribute' as const),
        },
      ]
    })
}

/**
 * Makes the changes of one page in its document, adds the script tag, and returns the new source. The page is
 * open without scripts of its own.
 */
export async function applyChanges(page: Page, changes: readonly Change[], snippet: string): Promise<string> {
  return page.evaluate(`(() => {
    const calls = []
    for (const { selector, code, method } of ${JSON.stringify(changes)}) {
      const element = document.querySelector(selector)
      if (method === 'call') {
        calls.push('document.querySelector(' + JSON.stringify(selector) + ").addEventListener('submit', () => { " + code + ' })')
        continue
      }
      const holder = document.createElement('template')
      holder.innerHTML = '<i ' + code + '></i>'
      for (const { name, value } of holder.content.firstChild.attributes) element.setAttribute(name, value)
    }
    document.head.insertAdjacentHTML('beforeend', ${JSON.stringify(snippet)})
    if (calls.length > 0) {
      const script = document.createElement('script')
      script.textContent = calls.join('\\n')
      document.body.append(script)
    }
    return '<!doctype html>' + document.documentElement.outerHTML
  })()`)
}
