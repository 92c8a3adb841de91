/** A page of the harness: its code notes what calls return or throw. */
type UntouchedPage = {
  name: string
  /** Added to the body. */
  html?: string
  /** Runs before both scripts. */
  before?: string
  run: string
}

const SHEET = `const sheet = document.getElementById('style').sheet; const rules = () => [...sheet.cssRules].map(rule => rule.cssText).join(' ');`
const END = `note('rules', rules);`

/**
 * What tracker and recorder wrap (style sheets, history, shadow trees, fields), and what they use beside it.
 */
export const PAGES: UntouchedPage[] = [
  {
    name: 'insertRule',
    run: `${SHEET} note('first', () => sheet.insertRule('.x { color: green }')); note('last', () => sheet.insertRule('.y { color: green }', 3)); ${END}`,
  },
  {
    name: 'insertRule of a wrong rule',
    run: `${SHEET} note('text', () => sheet.insertRule('}{')); note('index', () => sheet.insertRule('.x { }', 99)); note('import', () => sheet.insertRule('@import "a.css"', 2)); note('none', () => sheet.insertRule()); ${END}`,
  },
  {
    name: 'three rules of which one is wrong',
    run: `${SHEET} for (const rule of ['.x { color: green }', '@nonsense', '.y { color: green }']) note(rule, () => sheet.insertRule(rule, sheet.cssRules.length)); ${END}`,
  },
  {
    name: 'deleteRule',
    run: `${SHEET} note('first', () => sheet.deleteRule(0)); note('index', () => sheet.deleteRule(99)); note('none', () => sheet.deleteRule()); ${END}`,
  },
  {
    name: 'addRule and removeRule',
    run: `${SHEET} note('add', () => sheet.addRule('.x', 'color: green')); note('index', () => sheet.addRule('.y', 'color: green', 0)); note('wrong', () => sheet.addRule('}', '')); note('remove', () => sheet.removeRule(0)); note('none', () => sheet.removeRule()); note('far', () => sheet.removeRule(99)); ${END}`,
  },
  {
    name: 'rules in a media query',
    run: `${SHEET} sheet.insertRule('@media all { .m { color: red } }', 0); const media = sheet.cssRules[0]; note('insert', () => media.insertRule('.n { color: red }', 1)); note('wrong', () => media.insertRule('}')); note('delete', () => media.deleteRule(0)); note('far', () => media.deleteRule(9)); ${END}`,
  },
  {
    name: 'rules in nested groups',
    run: `${SHEET} sheet.insertRule('@supports (color: red) { @media all { .m { color: red } } }', 0); const inner = sheet.cssRules[0].cssRules[0]; note('insert', () => inner.insertRule('.n { color: red }')); const gone = sheet.cssRules[0]; sheet.deleteRule(0); note('of a deleted one', () => gone.insertRule('.o { color: red }')); ${END}`,
  },
  {
    name: 'setProperty and removeProperty of a rule',
    run: `${SHEET} const { style } = sheet.cssRules[0]; note('set', () => style.setProperty('color', 'green', 'important')); note('none', () => style.setProperty('color')); note('remove', () => style.removeProperty('color')); note('unknown', () => style.removeProperty('nonsense')); ${END}`,
  },
  {
    name: 'setProperty of an element',
    run: `const { style } = document.getElementById('app'); note('set', () => style.setProperty('--x', '1')); note('get', () => style.getPropertyValue('--x')); note('remove', () => style.removeProperty('--x')); note('this', () => CSSStyleDeclaration.prototype.setProperty.call({}, 'a', 'b'))`,
  },
  {
    name: 'methods of style sheets called on something else',
    run: `for (const name of ['insertRule', 'deleteRule', 'replaceSync']) note(name, () => CSSStyleSheet.prototype[name].call({}, '.x { }'))`,
  },
  {
    name: 'names and lengths of functions',
    run: `for (const name of ['insertRule', 'deleteRule', 'replace', 'replaceSync']) note(name, () => CSSStyleSheet.prototype[name].name + CSSStyleSheet.prototype[name].length); note('set', () => CSSStyleDeclaration.prototype.setProperty.length)`,
  },
  {
    name: 'constructed style sheets',
    run: `const sheet = note('new', () => new CSSStyleSheet()); note('replaceSync', () => sheet.replaceSync('.x { color: red }')); note('adopt', () => { document.adoptedStyleSheets = [sheet] }); note('insert', () => sheet.insertRule('.y { color: red }')); const replaced = note('replace', () => sheet.replace('.z { color: red }')); note('same', async () => {}); log.push(await replaced === sheet); note('adopted', () => document.adoptedStyleSheets.length)`,
  },
  {
    name: 'wrong adopted style sheets',
    run: `note('text', () => { document.adoptedStyleSheets = 'x' }); note('list', () => { document.adoptedStyleSheets = [{}] }); note('own', () => { document.adoptedStyleSheets = [document.getElementById('style').sheet] }); note('push', () => document.adoptedStyleSheets.push(new CSSStyleSheet())); note('length', () => document.adoptedStyleSheets.length); note('replaceSync of another', () => document.getElementById('style').sheet.replaceSync('')); document.getElementById('style').sheet.replace('').catch(error => log.push(error.name))`,
  },
  {
    name: 'adopted style sheets of a shadow tree',
    run: `const root = document.getElementById('app').attachShadow({ mode: 'open' }); const sheet = new CSSStyleSheet(); note('adopt', () => { root.adoptedStyleSheets = [sheet] }); await new Promise(resolve => setTimeout(resolve)); note('again', () => { root.adoptedStyleSheets = [sheet, new CSSStyleSheet()] }); note('wrong', () => { root.adoptedStyleSheets = 5 }); note('length', () => root.adoptedStyleSheets.length)`,
  },
  {
    name: 'lists of adopted style sheets that change',
    run: `const host = document.getElementById('app'); for (const owner of [document, host.attachShadow({ mode: 'open' })]) { const list = owner.adoptedStyleSheets; const sheet = new CSSStyleSheet(); note('push', () => list.push(sheet, new CSSStyleSheet())); note('same', () => list === owner.adoptedStyleSheets && Array.isArray(list) && list[0] === sheet); note('index', () => list[1] = new CSSStyleSheet()); note('wrong', () => list.push({})); note('of an element', () => list.push(document.getElementById('style').sheet)); note('hole', () => list[9] = sheet); await new Promise(resolve => setTimeout(resolve, 150)); note('splice', () => list.splice(0, 1).length); note('delete', () => Reflect.deleteProperty(list, 0)); note('length', () => list.length = 0); note('same after', () => list === owner.adoptedStyleSheets); note('own', () => Object.keys(owner).join() + Object.hasOwn(owner, 'adoptedStyleSheets')) }`,
  },
  {
    name: 'attachShadow',
    run: `const host = document.getElementById('app'); note('open', () => host.attachShadow({ mode: 'open' })); note('twice', () => host.attachShadow({ mode: 'open' })); note('input', () => document.createElement('input').attachShadow({ mode: 'open' })); note('closed', () => document.createElement('div').attachShadow({ mode: 'closed' })); note('none', () => document.createElement('div').attachShadow()); note('length', () => host.attachShadow.length)`,
  },
  {
    name: 'custom elements with shadow trees',
    run: `customElements.define('x-a', class extends HTMLElement { constructor() { super(); log.push('made'); this.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot>' } connectedCallback() { log.push('connected') } disconnectedCallback() { log.push('gone') } }); const a = document.createElement('x-a'); document.body.append(a); a.remove(); document.body.append(a)`,
  },
  {
    name: 'pushState and replaceState',
    run: `note('push', () => history.pushState({ a: 1 }, '', '/next?q=1#x')); note('state', () => JSON.stringify(history.state)); note('replace', () => history.replaceState([2], '')); note('length', () => location.pathname + location.hash); note('none', () => history.pushState()); note('names', () => history.pushState.name + history.pushState.length + String(history.pushState).includes('native code'))`,
  },
  {
    name: 'pushState that the browser refuses',
    run: `note('origin', () => history.pushState({}, '', 'https://elsewhere.test/')); note('clone', () => history.pushState(() => {}, '')); note('address', () => history.replaceState({}, '', 'http://[')); note('this', () => { const { pushState } = history; pushState({}, '', '/x') }); note('state', () => history.state)`,
  },
  {
    name: 'popstate and hashchange',
    run: `const order = name => addEventListener(name, () => log.push(name + ' ' + location.hash)); order('popstate'); order('hashchange'); location.hash = '#one'; history.pushState(null, '', '#two'); const back = new Promise(resolve => addEventListener('hashchange', resolve, { once: true })); await back; const popped = new Promise(resolve => addEventListener('popstate', resolve, { once: true })); history.back(); await popped`,
  },
  {
    name: 'a router that wraps the history itself',
    before: `const { pushState } = history; history.pushState = function (...args) { log.push('router ' + (this === history)); return pushState.apply(this, args) }`,
    run: `note('push', () => history.pushState({}, '', '/next')); const tracked = history.pushState; history.pushState = (...args) => { log.push('second router'); return tracked.apply(history, args) }; note('again', () => history.pushState({}, '', '/third')); note('path', () => location.pathname)`,
  },
  {
    name: 'a frozen history',
    before: 'Object.freeze(History.prototype)',
    run: `note('push', () => history.pushState({}, '', '/next')); note('path', () => location.pathname)`,
  },
  {
    name: 'fetch and beacons',
    run: `const answer = await fetch('/data'); note('ok', () => answer.ok); await fetch('http://[').catch(error => log.push('fetch ' + error.name)); note('beacon', () => navigator.sendBeacon('http://[')); fetch('blob:x').catch(() => log.push('blob')); note('length', () => fetch.length + fetch.name)`,
  },
  {
    name: 'XMLHttpRequest',
    run: `const request = new XMLHttpRequest(); note('early', () => request.send()); request.open('GET', '/data'); await new Promise(resolve => { request.onload = resolve; request.send() }); note('status', () => request.status)`,
  },
  {
    name: 'a canvas',
    html: '<canvas id="canvas" width="4" height="4"></canvas>',
    run: `const canvas = document.getElementById('canvas'); const context = note('2d', () => canvas.getContext('2d')); note('fill', () => context.fillRect(0, 0, 2, 2)); note('data', () => canvas.toDataURL().length > 20); note('other', () => canvas.getContext('webgl')); note('wrong', () => context.drawImage({}, 0, 0)); note('pixels', () => context.getImageData(0, 0, 1, 1).data[3])`,
  },
  {
    name: 'values of fields',
    html: '<input id="text"><input id="check" type="checkbox"><textarea id="area"></textarea><select id="select"><option>a<option>b</select>',
    run: `const field = id => document.getElementById(id); addEventListener('input', () => log.push('input')); addEventListener('change', () => log.push('change')); note('value', () => field('text').value = 5); note('text', () => field('text').value); note('check', () => field('check').checked = 1); field('check').click(); note('checked', () => field('check').checked); note('area', () => field('area').value = null); note('select', () => field('select').value = 'b'); note('index', () => field('select').selectedIndex); note('this', () => Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call({}, 1)); note('file', () => { field('text').type = 'file'; field('text').value = 'x' })`,
  },
  {
    name: 'a form with its own listeners',
    html: '<form id="form"><input name="id" required><button>Go</button></form>',
    run: `const form = document.getElementById('form'); for (const type of ['click', 'submit', 'invalid']) { addEventListener(type, () => log.push('window ' + type), true); form.addEventListener(type, event => { log.push(type); event.preventDefault() }) } document.querySelector('#form button').click(); document.querySelector('#form input').value = 'x'; document.querySelector('#form button').click(); note('request', () => form.requestSubmit())`,
  },
  {
    name: 'listeners that throw',
    html: '<button id="button">Go</button>',
    run: `const button = document.getElementById('button'); addEventListener('click', () => { log.push('captured'); throw new Error('first') }, true); button.addEventListener('click', () => { log.push('button'); throw new Error('second') }); button.click(); note('stop', () => { addEventListener('click', event => event.stopImmediatePropagation(), true); return button.click() })`,
  },
  {
    name: 'errors and rejections that nobody handles',
    run: `setTimeout(() => { throw new TypeError('late') }); Promise.reject(new Error('rejected')); queueMicrotask(() => log.push('microtask')); await new Promise(resolve => setTimeout(resolve, 20)); note('onerror', () => window.onerror)`,
  },
  {
    name: 'observers and their order',
    run: `await new Promise(resolve => setTimeout(resolve)); const app = document.getElementById('app'); new MutationObserver(records => log.push('mutations ' + records.length)).observe(app, { childList: true, attributes: true, subtree: true }); Promise.resolve().then(() => log.push('promise')); app.append('a', document.createElement('b')); app.setAttribute('x', '1'); setTimeout(() => log.push('timer')); log.push('script'); await new Promise(resolve => setTimeout(resolve, 20))`,
  },
  {
    name: '1 MB of text at once',
    run: `note('html', () => { document.getElementById('app').innerHTML = ('<p>' + 'x'.repeat(1000) + '</p>').repeat(1000); return document.querySelectorAll('p').length }); await new Promise(resolve => setTimeout(resolve, 500)); document.getElementById('app').append('more'); note('children', () => document.getElementById('app').childNodes.length)`,
  },
  {
    name: 'changed JSON',
    before: `Array.prototype.toJSON = function () { return '[' + this.length + ']' }`,
    run: `document.getElementById('app').innerHTML = '<p>a</p>'; note('json', () => JSON.stringify({ a: [1, 2] }))`,
  },
  {
    name: 'its own style engine',
    run: `const style = document.createElement('style'); document.head.append(style); for (let n = 0; n < 50; n++) style.sheet.insertRule('.c' + n + ' { width: ' + n + 'px }', n); note('rules', () => style.sheet.cssRules.length); style.textContent = '.d { }'; note('new', () => style.sheet.cssRules.length); const removed = style.sheet; style.remove(); note('removed', () => removed.insertRule('.e { }'))`,
  },
  {
    name: 'frames',
    html: '<iframe id="frame" srcdoc="<style>.f{}</style>"></iframe>',
    run: `const frame = document.getElementById('frame'); const inner = frame.contentDocument; note('insert', () => inner.styleSheets[0].insertRule('.g { }')); note('wrong', () => inner.styleSheets[0].insertRule('}')); note('error', () => { try { inner.styleSheets[0].insertRule('}') } catch (error) { return error instanceof frame.contentWindow.DOMException } }); frame.remove(); note('gone', () => frame.contentWindow)`,
  },
]
