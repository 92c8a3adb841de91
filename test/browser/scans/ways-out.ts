/**
 * Ways out of a page, each to an address of this machine: `tcp` is its TCP listener, `udp` its UDP listener,
 * both as `host:port`.
 */
type Listeners = { tcp: string; udp: string }

/** Elements that make a browser ask by themselves. */
const ELEMENTS = ({ tcp }: Listeners): string[] => [
  `<link rel="dns-prefetch" href="http://${tcp}/dns">`,
  `<link rel="preconnect" href="http://${tcp}">`,
  `<link rel="preconnect" href="https://${tcp}" crossorigin>`,
  `<link rel="prefetch" href="http://${tcp}/prefetch">`,
  `<link rel="prerender" href="http://${tcp}/prerender">`,
  `<link rel="preload" as="script" href="http://localhost:${tcp.split(':')[1]}/preload">`,
  `<link rel="modulepreload" href="http://${tcp}/modulepreload.js">`,
  `<link rel="icon" href="http://${tcp}/icon">`,
  `<link rel="apple-touch-icon" href="http://${tcp}/touch">`,
  `<link rel="manifest" href="http://${tcp}/manifest">`,
  `<link rel="stylesheet" href="http://${tcp}/style">`,
  `<style>@import "http://${tcp}/import"; @font-face { font-family: f; src: url(http://${tcp}/font) } body { font-family: f; background: url(http://${tcp}/background) }</style>`,
  `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://${tcp}/speculated"]}],"prerender":[{"source":"list","urls":["http://${tcp}/prerendered"]}]}</script>`,
  `<script src="http://${tcp}/script" async></script>`,
  `<img src="http://${tcp}/img">`,
  `<img srcset="http://${tcp}/srcset 1x" loading="eager">`,
  `<picture><source srcset="http://${tcp}/source"><img></picture>`,
  `<svg><image href="http://${tcp}/svg"/><use href="http://${tcp}/use#x"/></svg>`,
  `<iframe src="http://${tcp}/frame"></iframe>`,
  `<iframe srcdoc="<img src='http://${tcp}/srcdoc'>"></iframe>`,
  `<iframe sandbox="allow-scripts" src="data:text/html,<script>fetch('http://${tcp}/data')</script>"></iframe>`,
  `<video src="http://[::1]:${tcp.split(':')[1]}/video" poster="http://${tcp}/poster" autoplay></video>`,
  `<audio src="http://${tcp}/audio" autoplay></audio>`,
  `<video autoplay><track src="http://${tcp}/track" default kind="captions"></video>`,
  `<object data="http://${tcp}/object"></object>`,
  `<embed src="http://${tcp}/embed">`,
  `<input type="image" src="http://${tcp}/input">`,
  `<a id="ping" href="#x" ping="http://${tcp}/ping">x</a>`,
  `<form id="form" action="http://${tcp}/form" method="post" target="_blank"></form>`,
]

/** Statements of a script. */
const SCRIPTS = ({ tcp, udp }: Listeners): string[] => [
  `fetch('http://${tcp}/fetch')`,
  `fetch('https://${tcp}/tls')`,
  `fetch('http://${tcp}/post', { method: 'POST', mode: 'no-cors', body: 'x' })`,
  `fetch('http://${tcp}/keepalive', { keepalive: true })`,
  `fetchLater('http://${tcp}/later', { activateAfter: 0 })`,
  `{ const request = new XMLHttpRequest(); request.open('GET', 'http://${tcp}/xhr'); request.send() }`,
  `navigator.sendBeacon('http://${tcp}/beacon', 'x')`,
  `new WebSocket('ws://${tcp}/socket')`,
  `new WebSocket('wss://${tcp}/secure')`,
  `new WebSocket('ws://site.test:${tcp.split(':')[1]}/named')`,
  `new WebSocketStream('ws://${tcp}/stream').opened`,
  `new EventSource('http://${tcp}/events')`,
  `new SharedWorker(URL.createObjectURL(new Blob(['fetch("http://${tcp}/shared")'])))`,
  `new Worker(URL.createObjectURL(new Blob(['fetch("http://${tcp}/worker"); new WebSocket("ws://${tcp}/w"); importScripts("http://${tcp}/imported")'])))`,
  `new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob([\\'fetch("http://${tcp}/nested")\\'])))'])))`,
  `navigator.serviceWorker.register('/worker.js')`,
  `CSS.paintWorklet.addModule('http://${tcp}/paint')`,
  `new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule('http://${tcp}/audio-worklet')`,
  `window.open('http://${tcp}/window')`,
  `window.open('about:blank').fetch('http://${tcp}/popup')`,
  `ping.click()`,
  `form.submit()`,
  `new WebTransport('https://${udp}/transport').ready`,
  `import('http://${tcp}/module.js')`,
  `{ const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${udp}' }] }); peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)) }`,
  `{ const peer = new RTCPeerConnection({ iceServers: [{ urls: ['turn:${udp}?transport=udp', 'turn:${tcp}?transport=tcp', 'turns:${tcp}'], username: 'a', credential: 'b' }] }); peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)) }`,
  // A candidate of another peer that is our listener: the browser checks it by UDP without any server.
  `{ const [one, two] = [new RTCPeerConnection(), new RTCPeerConnection()]; one.createDataChannel('x')
     one.createOffer().then(async offer => { await one.setLocalDescription(offer); await two.setRemoteDescription(offer)
       const answer = await two.createAnswer(); await two.setLocalDescription(answer); await one.setRemoteDescription(answer)
       for (const peer of [one, two]) peer.addIceCandidate({ sdpMid: '0', candidate: 'candidate:1 1 udp 2130706431 ${udp.replace(':', ' ')} typ host' }) }) }`,
  `{ const other = document.createElement('iframe'); document.body.append(other); other.contentWindow.fetch('http://${tcp}/inner') }`,
  `{ const download = document.createElement('a'); download.href = 'http://${tcp}/file'; download.download = 'f'; download.click() }`,
  `new Image().src = 'http://${tcp}/image'`,
  `new FontFace('g', 'url(http://${tcp}/fontface)').load()`,
  `{ const link = document.createElement('link'); link.rel = 'preconnect'; link.href = 'http://${tcp}'; document.head.append(link) }`,
  `caches.open('c').then(cache => cache.add('http://${tcp}/cached'))`,
  `navigator.sendBeacon('http://${tcp.replace('127.0.0.1', '0.0.0.0')}/any')`,
  `alert('stop')`,
  `location.hash = 'moved'`,
]

const NOWHERE = { tcp: '127.0.0.1:1', udp: '127.0.0.1:1' }
/** How many ways a page of `pageOfWaysOut` tries. */
export const WAYS_OUT = ELEMENTS(NOWHERE).length + SCRIPTS(NOWHERE).length

/**
 * A page that tries them all. It asks for `/hold` first, and for `/tried` when it has tried: the page rests
 * only when both are answered.
 */
export function pageOfWaysOut(listeners: Listeners): string {
  const attempts = SCRIPTS(listeners).map(script => `() => { ${script} }`)
  return `<!doctype html>${ELEMENTS(listeners).join('\n')}<h1 id="done"></h1>
<script>
fetch('/hold').catch(() => {})
addEventListener('unhandledrejection', event => event.preventDefault())
let failed = 0
for (const attempt of [${attempts.join(',\n')}]) try { attempt() } catch { failed++ }
setTimeout(() => { done.textContent = 'all tried, not known here: ' + failed; fetch('/tried').catch(() => {}) }, 400)
</script>`
}
