/** 200 secrets of 25 kinds, which a page shows, holds in its attributes, or gets from its user. */

export type Secret = {
  kind: string
  text: string
  /** The element that has it. Typed secrets are not in it. */
  html: string
  /** Where a user types it. */
  field?: string
}

const PER_KIND = 8

type Kind = {
  text(at: number): string
  html(text: string, id: string): string
  isTyped?: boolean
}

/** Made-up words, so that no other text of the page has them. */
const word = (at: number, salt: string) =>
  `${['Zorvath', 'Quillon', 'Brixmoor', 'Thandell', 'Vexley', 'Ostrand', 'Kyrell', 'Pelmarin'][at]}${salt}`
const digits = (at: number, count: number, seed: number) => {
  let state = (at + 1) * 7919 + seed * 104_729
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(state / 65_536) % 10
  }).join('')
}
const card = (at: number, seed = 3) =>
  `4${digits(at, 15, seed)}`.replace(/(\d{4})(?=\d)/g, at % 2 ? '$1 ' : '$1-')
const token = (at: number) => Buffer.from(digits(at, 30, 5)).toString('base64url')
const span = (text: string) => `<span>${text}</span>`
const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** An IBAN whose sum is right. */
function iban(at: number): string {
  const account = `${['DEUT', 'NWBK', 'ABNA', 'BARC'][at % 4]}${digits(at, 14, 7)}`
  const remainder = [...`${account}GB00`].reduce((rest, character) => {
    const value = Number.parseInt(character, 36)
    return (rest * (value > 9 ? 100 : 10) + value) % 97
  }, 0)
  const plain = `GB${String(98 - remainder).padStart(2, '0')}${account}`
  return at % 2 ? plain.replace(/(.{4})(?=.)/g, '$1 ') : plain
}

const KINDS: Record<string, Kind> = {
  'typed password': {
    text: at => word(at, 'Pass!9'),
    html: (_, id) => `<input type="password" id="${id}">`,
    isTyped: true,
  },
  'typed text': { text: at => word(at, ' Ada'), html: (_, id) => `<input id="${id}">`, isTyped: true },
  'typed textarea': {
    text: at => word(at, ' lives here'),
    html: (_, id) => `<textarea id="${id}"></textarea>`,
    isTyped: true,
  },
  'revealed password': {
    text: at => word(at, 'Reveal'),
    html: (_, id) =>
      `<input type="password" id="${id}" oninput="this.type='text';this.nextSibling.textContent='You typed '+this.value"><b></b>`,
    isTyped: true,
  },
  'typed editable text': {
    text: at => word(at, ' note'),
    html: (_, id) => `<div contenteditable="true" id="${id}"></div>`,
    isTyped: true,
  },
  'hidden value': { text: at => word(at, 'hid'), html: text => `<input type="hidden" value="${text}">` },
  'radio or checkbox value': {
    text: at => word(at, 'box'),
    html: text =>
      `<input type="radio" checked value="${text}"><input type="checkbox" checked value="${text}">`,
  },
  'button value': {
    text: at => word(at, 'btn'),
    html: text => `<input type="button" value="${text}"><button value="${text}">Go</button>`,
  },
  'option value': {
    text: at => word(at, 'opt'),
    html: text =>
      `<select><option>-<option value="${text}" label="${text}" selected>${text}</option></select><datalist><option value="${text}">${text}</datalist>`,
  },
  'field value': {
    text: at => word(at, 'val'),
    html: text => `<input value="${text}"><textarea>${text}</textarea>`,
  },
  'editable text': {
    text: at => word(at, 'edit'),
    html: text => `<div contenteditable><p>${text}</p></div>`,
  },
  placeholder: { text: at => word(at, 'plc'), html: text => `<input placeholder="${text}">` },
  'aria-label': {
    text: at => word(at, 'aria'),
    html: text => `<div aria-label="${text}" aria-description="${text}"></div>`,
  },
  'title or alt': { text: at => word(at, 'ttl'), html: text => `<img title="${text}" alt="${text}">` },
  'data attribute': {
    text: at => word(at, 'dat'),
    html: text => `<div data-user="${text}"></div><user-card owner="${text}"></user-card>`,
  },
  'query value': {
    text: at => word(at, 'qry'),
    html: text =>
      `<a href="/next?name=${text}#${text}">Next</a><img src="/photo.png?who=${text}"><form action="/go?${text}"></form><i style="background: url(/i.png?${text})">i</i><link rel="preload" href="/a.css?u=${text}">`,
  },
  'e-mail': { text: at => `${word(at, '.mail')}@example.org`, html: text => `<p>Write to ${text} now</p>` },
  card: { text: at => card(at), html: text => `<p>Card ${text}, valid</p>` },
  'card in parts': {
    text: at => card(at, 23),
    html: text => `<p>${text.split(/[ -]/).map(span).join(' ')}</p>`,
  },
  phone: {
    text: at => [`+49 30 ${digits(at, 7, 11)}`, `(555) ${digits(at, 3, 13)}-${digits(at, 4, 17)}`][at % 2]!,
    html: text => `<p>Call ${text}</p><a href="tel:${text}">Call</a>`,
  },
  IBAN: { text: iban, html: text => `<td>${text}</td>` },
  token: {
    text: at =>
      [
        `sk_live_${token(at)}`,
        `eyJhbGciOiJIUzI1NiJ9.${token(at)}.${token(at)}`,
        `ghp_${token(at)}`,
        digits(at, 40, 19).replace(/(.)(.)/g, '$1a$2f'),
      ][at % 4]!,
    html: text => `<code>${text}</code><a href="/reset/${text}">Reset</a>`,
  },
  'masked element': {
    text: at => word(at, 'msk'),
    html: text => `<div data-aa-mask><p>${text}</p></div><p class="private">${text}</p>`,
  },
  'blocked element': {
    text: at => word(at, 'blk'),
    html: text =>
      `<div data-aa-block><p title="${text}">${text}</p></div><p class="secret">${text}</p><video title="${text}"></video>`,
  },
  'text for code': {
    text: at => word(at, 'cod'),
    html: text =>
      `<!-- ${text} --><script type="application/json">{"user":"${text}"}</script><noscript>${text}</noscript><template>${text}</template><svg><title>${text}</title><script>//${text}</script></svg><p onclick="'${text}'">p</p><iframe srcdoc="<p data-aa-mask>${text}"></iframe>`,
  },
}

/** Returns all secrets, eight of each kind. */
export function createCorpus(): Secret[] {
  return Object.entries(KINDS).flatMap(([kind, { text, html, isTyped }], row) =>
    Array.from({ length: PER_KIND }, (_, at) => {
      const secret = text(at)
      const id = `field-${row}-${at}`
      return {
        kind,
        text: secret,
        html: html(escapeHtml(secret), id),
        ...(isTyped && { field: `#${id}` }),
      }
    }),
  )
}
