import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { launchChromium } from './bench-browser.ts'

/**
 * What frameworks and charts cost: `npm run bench -- frameworks`. Builds the same small table with three
 * frameworks and the same line of 8,760 points (a year by hour) in three ways. Prints the size of each script
 * with gzip, and the median time of a redraw in Chromium, layout included. The candidates are
 * installed in a folder for temporary files, because the repository needs one of them.
 */

const CANDIDATES = [
  'preact@11.2.0',
  '@preact/signals@2.11.4',
  'solid-js@1.9.19',
  'svelte@5.57.3',
  'uplot@1.6.32',
  '@observablehq/plot@0.6.17',
]

const POINTS = 8_760
const ROWS = 100

/** Each sets window.redraw(n), which shows other numbers at once. */
const scripts: Record<string, string> = {
  preact: `import { h, render } from 'preact'
import { useState } from 'preact/hooks'
function Table() {
  const [n, set] = useState(0)
  window.redraw = set
  return h('table', null, rows(n).map(([name, value]) => h('tr', { key: name }, h('th', null, name), h('td', null, value))))
}
render(h(Table), document.body)`,
  'preact + signals': `import { h, render } from 'preact'
import { signal } from '@preact/signals'
const n = signal(0)
window.redraw = value => { n.value = value }
const Table = () => h('table', null, rows(n.value).map(([name, value]) => h('tr', { key: name }, h('th', null, name), h('td', null, value))))
render(h(Table), document.body)`,
  solid: `import { createSignal, For } from 'solid-js'
import { render } from 'solid-js/web'
import h from 'solid-js/h'
const [n, set] = createSignal(0)
window.redraw = set
render(() => h('table', null, h(For, { each: () => rows(n()) }, ([name, value]) => h('tr', null, h('th', null, name), h('td', null, value)))), document.body)`,
  svelte: `import { mount } from 'svelte'
import Table from './Table.svelte'
mount(Table, { target: document.body })`,
  uPlot: `import uPlot from 'uplot'
const element = document.body.appendChild(document.createElement('div'))
const times = Array.from({ length: ${POINTS} }, (_, i) => 1.7e9 + i * 3600)
const plot = new uPlot({ width: 1100, height: 240, series: [{}, { stroke: 'blue', fill: '#eef' }] }, [times, values(0)], element)
window.redraw = n => plot.setData([times, values(n)])`,
  'Observable Plot': `import * as Plot from '@observablehq/plot'
const times = Array.from({ length: ${POINTS} }, (_, i) => new Date(1.7e12 + i * 3.6e6))
let shown = document.body.appendChild(document.createElement('div'))
window.redraw = n => {
  const v = values(n)
  const next = Plot.plot({ width: 1100, height: 240, marks: [Plot.areaY(v, { x: times, y: v, fill: '#eef' }), Plot.lineY(v, { x: times, y: v, stroke: 'blue' })] })
  shown.replaceWith(next); shown = next
}
redraw(0)`,
  'SVG of our own': `import { drawSeries } from ${JSON.stringify(join(import.meta.dirname, '../dashboard/charts/series-drawing.ts'))}
document.body.innerHTML = '<svg width="1100" height="240"><path fill="#eef"/><path fill="none" stroke="blue"/></svg>'
const [area, line] = document.querySelectorAll('path')
window.redraw = n => {
  const { lines } = drawSeries({ lines: [{ name: 'a', values: values(n) }], length: ${POINTS}, width: 1100, height: 240 })
  area.setAttribute('d', lines[0].area)
  line.setAttribute('d', lines[0].path)
}
redraw(0)`,
}

const HELPERS = `const rows = n => Array.from({ length: ${ROWS} }, (_, i) => ['row ' + i, String(i * n)])
const values = n => Array.from({ length: ${POINTS} }, (_, i) => 500 + 400 * Math.sin(i / 300 + n) + ((i * 7919 + n * 31) % 200))
`
const SVELTE = `<script>
${HELPERS}
let n = $state(0)
window.redraw = value => { n = value }
</script>
<table>{#each rows(n) as [name, value] (name)}<tr><th>{name}</th><td>{value}</td></tr>{/each}</table>`

/** Runs in the page: the time until the elements have changed and their layout is known. */
const MEASURE = `(async () => {
  const times = []
  for (let n = 1; n <= 30; n++) {
    await new Promise(requestAnimationFrame)
    const start = performance.now()
    redraw(n)
    // Frameworks change the elements after the task that asked for it.
    for (let i = 0; i < 5; i++) await null
    document.body.offsetHeight
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[15].toFixed(1)
})()`

const folder = mkdtempSync(join(tmpdir(), 'footfall-bench-frameworks-'))
try {
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...CANDIDATES], {
    cwd: folder,
    stdio: 'ignore',
  })
  const { compile } = await import(join(folder, 'node_modules/svelte/src/compiler/index.js'))
  writeFileSync(join(folder, 'Table.svelte'), SVELTE)
  const built: Record<string, string> = {}
  for (const [name, script] of Object.entries(scripts)) {
    const { outputFiles } = await build({
      stdin: {
        contents: name === 'svelte' ? script : `${script.replace(/^((?:import .*\n)*)/, `$1${HELPERS}`)}`,
        resolveDir: folder,
        loader: 'js',
      },
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      conditions: ['browser', 'production'],
      define: { 'process.env.NODE_ENV': '"production"' },
      write: false,
      logLevel: 'silent',
      plugins: [
        {
          name: 'svelte',
          setup({ onLoad }) {
            onLoad({ filter: /\.svelte$/ }, ({ path }) => ({
              contents: compile(readFileSync(path, 'utf8'), { generate: 'client', dev: false }).js.code,
            }))
          },
        },
      ],
    })
    const text = outputFiles[0]?.text ?? ''
    built[name] = text
    console.log(`${name.padEnd(18)} ${(gzipSync(text, { level: 9 }).length / 1024).toFixed(1)} KB`)
  }
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, locale: 'en-US' })
  for (const [name, script] of Object.entries(built)) {
    await page.goto('about:blank')
    await page.evaluate(script)
    console.log(`${name.padEnd(18)} ${await page.evaluate(MEASURE)} ms`)
  }
  await browser.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
