import { createHash } from 'node:crypto'

/**
 * The one style of all pages. It stands inside each page, so that the first paint needs no other request; the
 * policy of the page allows exactly this text by its hash. Every page must fit a window 320 px wide.
 */
export const STYLE = `
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--text:#1b1f27;--quiet:#565e6b;--line:#d8dce3;--accent:#1f5fd1;--on-accent:#fff;--danger:#b3261e;--good:#176b3a;--field:#fff;--code:#eef1f5}
@media(prefers-color-scheme:dark){:root{--page:#12151a;--card:#1b2027;--text:#e8eaee;--quiet:#a3abb8;--line:#343b46;--accent:#8ab4ff;--on-accent:#0d1b33;--danger:#ff9c92;--good:#7fd6a0;--field:#12151a;--code:#262c35}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Open Sans",sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:42rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;padding-top:1.25rem;padding-bottom:.75rem}
header .name{font-weight:700;color:var(--text);text-decoration:none;margin-right:auto}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
main>section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.25rem;margin:0 0 1rem}
@media(min-width:34rem){main>section{padding:1.75rem}}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.125rem;line-height:1.3;margin:1.5rem 0 .5rem}
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
code{background:var(--code);border-radius:4px;padding:.1em .3em;font-size:.9375em}
pre{background:var(--code);border-radius:8px;padding:.75rem 1rem;white-space:pre-wrap}
pre code{background:none;padding:0}
.code{display:block;font-size:1.75rem;letter-spacing:.12em;text-align:center;background:var(--code);border-radius:8px;padding:.75rem;margin:0 0 1rem}
.secret{letter-spacing:0;font-size:1rem;text-align:left}
.quiet{color:var(--quiet);font-size:.9375rem}
.note{border-left:4px solid var(--accent);padding:.25rem 0 .25rem .875rem}
.bad{border-left-color:var(--danger)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem}
.actions form{margin:0;flex:1 1 8rem}
.button,button{display:block;width:100%;min-height:44px;padding:.625rem 1rem;border:1px solid var(--accent);border-radius:8px;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;background:var(--accent);color:var(--on-accent)}
.plain{background:transparent;color:var(--text);border-color:var(--quiet)}
.danger{background:transparent;color:var(--danger);border-color:var(--danger)}
.link{display:inline;width:auto;min-height:0;padding:.25rem 0;border:0;background:none;color:var(--accent);font-weight:400;text-decoration:underline}
header form{margin:0}
.button+.button{margin-top:.75rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input:not([type=hidden]):not([type=checkbox]){display:block;width:100%;min-height:44px;padding:.5rem .75rem;margin:0 0 1rem;border:1px solid var(--quiet);border-radius:8px;font:inherit;color:var(--text);background:var(--field)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.list{list-style:none;padding:0}
.list li{border-top:1px solid var(--line);padding:1rem 0}
.list li:last-child{padding-bottom:0}
footer{color:var(--quiet);font-size:.875rem;padding-top:.5rem;padding-bottom:2rem}
[hidden]{display:none!important}
`.replaceAll('\n', '')

/** As a source of `style-src`. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
