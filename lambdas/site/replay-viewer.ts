import { versionName } from '#core/replays/script-version'
import { Html, html } from '#lambdas/http/html'
import type { BufferedResponse } from '#lambdas/http/http'
import { BASE_HEADERS } from '#lambdas/http/response'
import { STAGE_STYLE, VIEWER_STYLE, VIEWER_STYLE_SOURCE } from './replay-viewer-style.ts'

/** A script of the viewer, and the SHA-256 of its UTF-8 bytes in hex. */
export type ViewerScript = { code: string; sha256: string }
export type ViewerScripts = Record<'page' | 'stage', ViewerScript>

type Document = BufferedResponse & { status: 200 }

/** The names of the scripts in their addresses, `/replay/viewer/{script}`. */
export function scriptName(kind: keyof ViewerScripts, script: ViewerScript): string {
  return `${kind}-${versionName(script)}`
}

/**
 * What both documents may do: run scripts, and read each other. No form, window, dialog, download or link.
 */
const SANDBOX = 'sandbox allow-scripts allow-same-origin'
const NOTHING = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", SANDBOX]

/**
 * The page of the controls. It has the secret of the replay, and shows no part of the recording as elements.
 * It asks two addresses of the service and runs one script.
 */
export function viewerPage(baseUrl: string, page: ViewerScript): Document {
  const script = `/replay/viewer/${scriptName('page', page)}`
  return document(viewerHtml(script), [
    ...NOTHING,
    `script-src ${baseUrl}${script}`,
    `style-src ${VIEWER_STYLE_SOURCE}`,
    `connect-src ${['', '/chunk', '/events'].map(path => `${baseUrl}/replay/view${path}`).join(' ')}`,
    `frame-src ${baseUrl}/replay/stage`,
    'img-src data:',
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
}

/**
 * The document that shows the recording. rrweb builds the recorded page in a frame of it that runs no
 * scripts, and that has this policy too: nothing is loaded, from anywhere. Styles of the recorded page stand
 * in its elements, so they must be allowed here; nothing of them is in the page of the controls.
 */
export function stagePage(baseUrl: string, stage: ViewerScript): Document {
  const script = `/replay/viewer/${scriptName('stage', stage)}`
  const markup = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The recorded page</title>
<style>${new Html(STAGE_STYLE)}</style>
<script src="${script}" defer></script>
</head>
<body></body>
</html>
`
  return document(markup, [
    ...NOTHING,
    `script-src ${baseUrl}${script}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ])
}

function document(markup: Html, policy: readonly string[]): Document {
  return {
    status: 200,
    headers: {
      ...BASE_HEADERS,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy.join('; '),
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy':
        'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), fullscreen=(self)',
      'X-Robots-Tag': 'noindex, nofollow',
    },
    body: markup.text,
  }
}

const ICONS = {
  go: 'M7 4l13 8-13 8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  back: 'M11 6v12L2 12zM21 6v12l-9-6z',
  forward: 'M13 6v12l9-6zM3 6v12l9-6z',
  full: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
}

function icon(name: keyof typeof ICONS, className = ''): Html {
  return html`<svg class="${className}" viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
}

const KEYS = [
  ['Space', 'play or pause'],
  ['←', '5 seconds back'],
  ['→', '5 seconds forward'],
  ['+', 'faster'],
  ['-', 'slower'],
  ['F', 'full screen'],
  ['?', 'this list'],
] as const

const COLOURS = [
  ['event', 'event of the tracker'],
  ['click', 'click'],
  ['idle', 'idle: the visitor did nothing'],
  ['gap', 'missing part'],
] as const

/** What the recorder masks, and why: what is not recorded cannot say it by itself. */
const MASKED = [
  ['What the visitor typed', 'values of fields, and the same words where the page shows them.'],
  [
    'What looks like a secret',
    'e-mail addresses, numbers of cards, phones and accounts, tokens and keys, and what stands after “password:” and the like. A number of seven digits may be a phone, so it is masked too.',
  ],
  [
    'What often names a person',
    'the title of the page, values in addresses, and texts that assistive technology reads.',
  ],
  ['What the site chose', 'elements with data-aa-mask, its mask selectors, or all texts.'],
] as const

function viewerHtml(script: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Session replay · Footfall</title>
<link rel="icon" href="data:,">
<style>${new Html(VIEWER_STYLE)}</style>
<script src="${script}" defer></script>
</head>
<body>
<header>
<h1>Session replay <span>· Footfall</span></h1>
<dl id="facts"></dl>
</header>
<main>
<noscript><p>This page needs JavaScript to play a replay. Allow it for this site, then reload the page.</p></noscript>
<div id="viewer">
<section id="player" aria-label="Player">
<div class="where"><p id="address" title="Address of the recorded page"></p><p id="size" title="Size of the recorded window"></p></div>
<div id="screen">
<iframe id="stage" title="The recorded page" src="/replay/stage" sandbox="allow-scripts allow-same-origin" referrerpolicy="no-referrer" tabindex="-1"></iframe>
<p id="now" role="status">Loading…</p>
</div>
<div id="controls">
<div class="line">
<div id="marks" aria-hidden="true"></div>
<input id="seek" type="range" min="0" max="1" step="any" value="0" aria-label="Time" disabled>
</div>
<div class="row">
<button type="button" id="play" aria-label="Play" disabled>${icon('go', 'go')}${icon('pause', 'pause')}</button>
<button type="button" id="back" class="wide" aria-label="5 seconds back" disabled>${icon('back')}</button>
<button type="button" id="forward" class="wide" aria-label="5 seconds forward" disabled>${icon('forward')}</button>
<span id="time">0:00</span>
<label class="end"><input type="checkbox" id="skip" checked> <span>Skip idle<span class="wide"> time</span></span></label>
<label><span class="spoken">Speed</span><select id="speed">${[0.5, 1, 2, 4, 8].map(
    speed => html`<option value="${speed}"${speed === 1 && new Html(' selected')}>${speed}×</option>`,
  )}</select></label>
<button type="button" id="full" aria-label="Full screen" aria-pressed="false" disabled>${icon('full')}</button>
<button type="button" id="help" aria-label="Keys and colours">?</button>
</div>
</div>
<ul id="lacks" hidden></ul>
<details id="masked">
<summary>What the dots hide</summary>
<p>The visitor’s browser replaced these texts by dots before anything was sent. The service never had them.</p>
<dl>${MASKED.map(([what, which]) => html`<dt>${what}</dt><dd>${which}</dd>`)}</dl>
</details>
</section>
<aside aria-labelledby="events-title">
<h2 id="events-title">Events</h2>
<p id="none">Loading…</p>
<ol id="events" tabindex="-1"></ol>
</aside>
</div>
<section id="message" tabindex="-1" role="alert" hidden></section>
</main>
<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl>${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
<h2>Time line</h2>
<dl>${COLOURS.map(([kind, what]) => html`<dt><span class="${kind}"></span></dt><dd>${what}</dd>`)}</dl>
<button type="button" id="close-keys">Close</button>
</dialog>
</body>
</html>
`
}
