import { cleanAddress, redactEmails } from './address.ts'
import { listen } from './api.ts'
import { anonymousId } from './identity.ts'
import { isListed, withLinkedId } from './linking.ts'
import { isOn } from './settings.ts'
import { isHeld } from './storage.ts'
import { track } from './track.ts'

const TEXT_CHARS = 200
/** Matches the extension of a download at the end of a path (docs/api/tracker.md). */
const DOWNLOAD =
  /\.(pdf|xlsx?|docx?|pptx?|pps|txt|rtf|csv|exe|key|7z|pkg|rar|gz|zip|avi|mov|mp(3|4|eg)|wmv|wma|wav|midi|dmg|iso|msi)$/i

/** Returns an attribute without e-mail addresses, cut to 200 characters; empty when the element has none. */
export function attributeText(element: Element, name: string): string {
  return redactEmails(element.getAttribute(name) || '').slice(0, TEXT_CHARS)
}

/**
 * Returns the value of an attribute, and the attributes `<attribute>-<key>` as properties `<key>`, with
 * underscores: reports take such keys alone without quotes (docs/api/tracker.md).
 */
export function readTag(element: Element, attribute: string): [string, Record<string, string>] {
  const properties: Record<string, string> = {}
  for (const { name, value } of element.attributes) {
    const [, key] = name.split(`${attribute}-`)
    if (key) properties[key.replace(/\W/g, '_')] = value
  }
  return [element.getAttribute(attribute)!, properties]
}

/** Whether the browser does not send the form by this button, because a field is not valid (U132). */
export const isRefused = (form: HTMLFormElement | null, button: HTMLButtonElement | null) =>
  form?.matches(':invalid') && !form.noValidate && !button?.formNoValidate

/**
 * Sends the events of clicks: `data-aa-event`, `$click`, `outgoing_link` and `$download`. A click with the
 * middle button opens links only, so it counts for them alone.
 */
export function watchClicks(): void {
  listen<MouseEvent>('click auxclick', event => {
    if (event.button > 1) return
    const isClick = event.type === 'click'
    // The way out of the page also goes through shadow trees, where `target` is only their host.
    const closest = (selector: string) =>
      (event.composedPath() as Element[]).find(element => element.matches?.(selector))
    const link = closest('a[href],area[href]') as HTMLAnchorElement | undefined
    const hostname = link?.hostname
    const isOther = hostname !== location.hostname
    if (link && isOther && isListed(hostname!) && !isHeld())
      link.search = withLinkedId(link.search, anonymousId())

    const tagged = closest('[data-aa-event]') as HTMLButtonElement | undefined
    if (tagged) {
      if (isClick && !(tagged.type === 'submit' && isRefused(tagged.form, tagged)))
        track(...readTag(tagged, 'data-aa-event'))
      return
    }

    const href = cleanAddress(link?.href)
    const is_external = isOther && href !== ''
    const clicked = closest('a,area,button')
    if (isClick && clicked && isOn('trackClicks') && hostname !== '') {
      const tag = clicked.localName
      track('$click', {
        tag,
        id: attributeText(clicked, 'id'),
        classes: attributeText(clicked, 'class'),
        ...(tag[0] === 'a' ? { href, is_external } : { type: (clicked as HTMLButtonElement).type }),
      })
    }
    if (is_external && isOn('trackOutgoing')) track('outgoing_link', { href, hostname })
    const file = DOWNLOAD.exec(href)
    if (file && isOn('trackDownloads'))
      track('$download', { href, filename: href.split('/').pop(), extension: file[1]!.toLowerCase() })
  })
}
