import { createHash } from 'node:crypto'

/**
 * The one style of all pages, with the colours and the typeface of the dashboard (dashboard/styles/). It is
 * larger than there, because people read these pages once and on any device. It stands inside each page, so
 * that the first paint needs no other request; the policy of the page allows exactly this text by its hash.
 * Every page must fit a window 320 px wide.
 */
export const STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#14181f;--quiet:#586070;--line:#e3e6eb;--strong-line:#8b93a1;--accent:#1d5bd8;--on-accent:#fff;--accent-wash:#e8effc;--bad:#a8400c}
@media(prefers-color-scheme:dark){:root{--page:#0e1116;--card:#161a21;--text:#e8ebf0;--quiet:#9aa3b2;--line:#272d37;--strong-line:#6d7684;--accent:#7ea8ff;--on-accent:#0b1220;--accent-wash:#1b2740;--bad:#f0a070}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;-webkit-font-smoothing:antialiased;overflow-wrap:anywhere}
header,main,footer{max-width:42rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;padding-top:1.25rem;padding-bottom:.75rem}
header .name{display:flex;align-items:center;gap:9px;font-weight:700;letter-spacing:-.01em;color:var(--text);text-decoration:none;margin-right:auto}
header svg{fill:var(--accent)}
header nav a,header .link{font-size:.9375rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
main>section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.25rem;margin:0 0 1rem}
@media(min-width:34rem){main>section{padding:1.75rem}}
h1{font-size:1.5rem;font-weight:650;letter-spacing:-.015em;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.125rem;font-weight:600;line-height:1.3;margin:1.5rem 0 .5rem}
section>:first-child{margin-top:0}
section>:last-child{margin-bottom:0}
time{white-space:nowrap}
p,ul,ol,dl,form,pre{margin:0 0 1rem}
ul,ol{padding-left:1.25rem}
a{color:var(--accent)}
nav a{padding:.25rem 0}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.375rem 1rem}
dt{color:var(--quiet)}
dd{margin:0}
code,pre,.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--accent-wash);border-radius:4px;padding:.1em .3em;font-size:.9375em}
pre{background:var(--page);border:1px solid var(--line);border-radius:7px;padding:.75rem 1rem;white-space:pre-wrap}
pre code{background:none;padding:0}
.code{display:block;font-size:1.75rem;letter-spacing:.12em;text-align:center;background:var(--accent-wash);border-radius:7px;padding:.75rem;margin:0 0 1rem}
.secret{letter-spacing:0;font-size:1rem;text-align:left}
.quiet{color:var(--quiet);font-size:.9375rem}
.note{border-left:4px solid var(--accent);padding:.25rem 0 .25rem .875rem}
.bad{border-left-color:var(--bad)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem}
.actions form{margin:0;flex:1 1 8rem}
.button,button{display:block;width:100%;min-height:44px;padding:.625rem 1rem;border:1px solid var(--accent);border-radius:7px;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;background:var(--accent);color:var(--on-accent)}
.plain{background:transparent;color:var(--text);border-color:var(--strong-line);font-weight:400}
.danger{background:transparent;color:var(--bad);border-color:var(--bad)}
.link{display:inline;width:auto;min-height:0;padding:.25rem 0;border:0;background:none;color:var(--accent);font-weight:400;text-decoration:underline}
header form{margin:0}
.button+.button{margin-top:.75rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input:not([type=hidden]):not([type=checkbox]){display:block;width:100%;min-height:44px;padding:.5rem .75rem;margin:0 0 1rem;border:1px solid var(--strong-line);border-radius:7px;font:inherit;color:var(--text);background:var(--card)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.list{list-style:none;padding:0}
.list li{border-top:1px solid var(--line);padding:1rem 0}
.list li:last-child{padding-bottom:0}
footer{color:var(--quiet);font-size:.875rem;padding-top:.5rem;padding-bottom:2rem}
[hidden]{display:none!important}
`.replaceAll('\n', '')

/** As a source of `style-src`. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
