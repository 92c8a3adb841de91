import { createHash } from 'node:crypto'

/**
 * The style of the page of the viewer. It stands inside the page, whose policy allows exactly this text by
 * its hash. The page fits a window 320 px wide.
 */
export const VIEWER_STYLE = `
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--text:#1b1f27;--quiet:#565e6b;--line:#d8dce3;--edge:#7a8494;--accent:#1f5fd1;--on-accent:#fff;--soft:#e6eefc;--screen:#e3e6eb;--idle:#c9ced7;--gap:#b3261e;--event:#7a3fb0;--click:#176b3a}
@media(prefers-color-scheme:dark){:root{--page:#12151a;--card:#1b2027;--text:#e8eaee;--quiet:#a3abb8;--line:#343b46;--edge:#7d8796;--accent:#8ab4ff;--on-accent:#0d1b33;--soft:#22304a;--screen:#0a0c0f;--idle:#3d4551;--gap:#ff9c92;--event:#c9a2f2;--click:#7fd6a0}}
*{box-sizing:border-box}
html{height:100%}
body{margin:0;min-height:100%;display:flex;flex-direction:column;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Open Sans",sans-serif;overflow-wrap:anywhere}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;padding:.75rem 1rem}
h1{font-size:1.125rem;line-height:1.3;margin:0}
h1 span{font-weight:400;color:var(--quiet)}
h2{font-size:1rem;line-height:1.3;margin:0}
p{margin:0}
dl{margin:0}
dd{margin:0}
#facts{display:flex;flex-wrap:wrap;gap:.125rem 1.25rem;font-size:.875rem}
#facts div{display:flex;gap:.375rem}
#facts dt{color:var(--quiet)}
main{flex:1;display:flex;min-height:0;padding:0 1rem 1rem}
#viewer{flex:1;display:grid;gap:1rem;grid-template-columns:minmax(0,1fr);min-width:0}
#player,aside,#message{background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
#player{display:flex;flex-direction:column;min-width:0}
.where{display:flex;gap:.75rem;justify-content:space-between;padding:.5rem .875rem;font-size:.875rem;border-bottom:1px solid var(--line)}
#address{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
#size{color:var(--quiet);white-space:nowrap}
#screen{position:relative;overflow:hidden;background:var(--screen);aspect-ratio:var(--shape,16/9);max-height:62vh;cursor:pointer}
#stage{position:absolute;left:0;top:0;border:0;background:#fff;transform-origin:0 0;pointer-events:none}
#now{position:absolute;left:50%;top:1rem;transform:translateX(-50%);max-width:calc(100% - 2rem);padding:.5rem .875rem;border-radius:8px;background:var(--card);color:var(--text);border:1px solid var(--line);box-shadow:0 2px 12px #0004;font-size:.9375rem}
#controls{padding:.5rem .875rem .75rem}
.line{position:relative;height:44px}
#marks{position:absolute;inset:0 8px;pointer-events:none}
#marks span{position:absolute;border-radius:2px}
#marks .idle,#marks .gap{top:15px;height:14px}
#marks .idle{background:var(--idle)}
#marks .gap{background:repeating-linear-gradient(45deg,var(--gap) 0 3px,transparent 3px 6px)}
#marks .event{top:2px;height:10px;width:4px;margin-left:-2px;background:var(--event)}
#marks .click{top:32px;height:8px;width:3px;margin-left:-1px;background:var(--click)}
#seek{position:absolute;inset:0;width:100%;height:44px;margin:0;background:none;-webkit-appearance:none;appearance:none;cursor:pointer;border-radius:8px}
#seek::-webkit-slider-runnable-track{height:6px;border-radius:3px;background:linear-gradient(var(--accent),var(--accent)) 0/var(--played,0%) 100% no-repeat,color-mix(in srgb,var(--edge) 45%,transparent)}
#seek::-moz-range-track{height:6px;border-radius:3px;background:color-mix(in srgb,var(--edge) 45%,transparent)}
#seek::-moz-range-progress{height:6px;border-radius:3px;background:var(--accent)}
#seek::-webkit-slider-thumb{-webkit-appearance:none;width:16px;height:16px;margin-top:-5px;border-radius:50%;background:var(--accent);border:2px solid var(--card);box-shadow:0 0 0 1px var(--accent)}
#seek::-moz-range-thumb{width:12px;height:12px;border-radius:50%;background:var(--accent);border:2px solid var(--card)}
.row{display:flex;flex-wrap:wrap;align-items:center;gap:.375rem .5rem}
.row .end{margin-left:auto}
#time{font-variant-numeric:tabular-nums;white-space:nowrap;padding:0 .5rem}
button,select{min-width:44px;min-height:44px;padding:.25rem .625rem;border:1px solid var(--line);border-radius:8px;background:var(--card);color:var(--text);font:inherit;cursor:pointer}
button:disabled,select:disabled{opacity:.5;cursor:default}
button:hover:not(:disabled),select:hover:not(:disabled){border-color:var(--edge)}
button svg{display:block;width:20px;height:20px;margin:auto;fill:currentColor}
#play{background:var(--accent);border-color:var(--accent);color:var(--on-accent);border-radius:50%}
#player .pause{display:none}
#player.playing .pause{display:block}
#player.playing .go{display:none}
label{display:inline-flex;align-items:center;gap:.5rem;min-height:44px;font-size:.9375rem}
input[type=checkbox]{width:20px;height:20px;margin:0;accent-color:var(--accent)}
#lacks{margin:0;padding:.625rem .875rem .75rem 2rem;border-top:1px solid var(--line);color:var(--quiet);font-size:.875rem}
#masked{border-top:1px solid var(--line);color:var(--quiet);font-size:.875rem}
#masked summary{padding:.75rem .875rem;cursor:pointer}
#masked p,#masked dl{margin:0;padding:0 .875rem .75rem}
#masked dt{font-weight:600}
#masked dd{margin:0 0 .375rem}
aside{display:flex;flex-direction:column;min-width:0}
aside h2{padding:.625rem .875rem;border-bottom:1px solid var(--line)}
#none{padding:.75rem .875rem;color:var(--quiet);font-size:.9375rem}
#events{position:relative;list-style:none;margin:0;padding:.25rem;overflow-y:auto;max-height:22rem}
.entry{display:flex;gap:.625rem;align-items:baseline;width:100%;border-color:transparent;background:none;text-align:left}
.entry .clock{color:var(--quiet);font-variant-numeric:tabular-nums;font-size:.875rem;min-width:2.25rem}
.entry .name{font-weight:600}
.entry .detail{color:var(--quiet);font-size:.875rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
.entry[aria-current]{background:var(--soft)}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#message{max-width:42rem;margin:2rem auto;padding:1.75rem;align-self:flex-start}
#message h2{font-size:1.5rem;margin:0 0 .75rem}
dialog{max-width:min(26rem,calc(100% - 2rem));border:1px solid var(--line);border-radius:12px;padding:1.25rem;background:var(--card);color:var(--text)}
dialog::backdrop{background:#0008}
dialog dl{display:grid;grid-template-columns:auto 1fr;align-items:center;gap:.5rem 1rem;margin:.75rem 0 1.25rem}
dialog dt span{display:block;width:28px;height:14px;border-radius:2px}
dialog .event{background:var(--event)}
dialog .click{background:var(--click)}
dialog .idle{background:var(--idle)}
dialog .gap{background:repeating-linear-gradient(45deg,var(--gap) 0 3px,transparent 3px 6px)}
kbd{border:1px solid var(--edge);border-radius:4px;padding:0 .375rem;font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--text)}
#player:fullscreen{border:0;border-radius:0;background:var(--card)}
#player:fullscreen #screen{flex:1;max-height:none;aspect-ratio:auto;min-height:0}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[hidden]{display:none!important}
@media(min-width:62rem){
body{height:100%}
#viewer{grid-template-columns:minmax(0,1fr) 21rem;min-height:0}
#player{min-height:0}
#screen{flex:1;aspect-ratio:auto;max-height:none;min-height:12rem}
aside{min-height:0}
#events{flex:1;max-height:none}
}
@media(max-width:30rem){
header,main{padding-left:.5rem;padding-right:.5rem}
.wide{display:none}
#controls{padding:.25rem .5rem .5rem}
.row{gap:.25rem .375rem}
#time{padding:0 .125rem;font-size:.9375rem}
.row label{gap:.25rem}
}
@media(hover:none) and (pointer:coarse){#help{display:none}}
@media(forced-colors:active){#marks span{forced-color-adjust:none}}
`.replaceAll('\n', '')

/** As a source of `style-src`. */
export const VIEWER_STYLE_SOURCE = `'sha256-${createHash('sha256').update(VIEWER_STYLE).digest('base64')}'`

/** The style of the document that shows the recording: the pointer, and nothing around it. */
export const STAGE_STYLE = `
html,body{margin:0;overflow:hidden;background:#fff}
.replayer-wrapper{position:relative}
.replayer-wrapper iframe{border:0;display:block}
.replayer-mouse{position:absolute;z-index:2;width:22px;height:22px;pointer-events:none;transition:left .05s linear,top .05s linear;background:no-repeat center/contain url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M2 1l7 20 3-8 8-3z' fill='%23111' stroke='%23fff' stroke-width='1.6' stroke-linejoin='round'/%3E%3C/svg%3E")}
.replayer-mouse::after{content:"";position:absolute;left:2px;top:1px;width:24px;height:24px;border-radius:50%;background:#d6336c;transform:translate(-50%,-50%);opacity:0}
.replayer-mouse.active::after{animation:click .4s ease-out}
.replayer-mouse.touch-device{background:none;width:60px;height:60px;margin:-30px 0 0 -30px;border:4px solid transparent;border-radius:50%;transition:border-color .2s ease-in-out}
.replayer-mouse.touch-device.touch-active{border-color:#d6336c}
.replayer-mouse-tail{position:absolute;z-index:1;pointer-events:none}
@keyframes click{0%{opacity:.7;transform:translate(-50%,-50%) scale(.5)}100%{opacity:0;transform:translate(-50%,-50%) scale(2)}}
`.replaceAll('\n', '')
