import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

export type Dashboard = {
  /** Every file of the dashboard, by its name with the hash of its content. */
  files: Record<string, DashboardFile>
  entry: DashboardEntry
}

export type DashboardFile = { contentType: string; text: string }

/** The names of the files that the first page names. */
export type DashboardEntry = {
  script: string
  style: string
  /** The scripts of each view, by the name of its folder in dashboard/views/, with all that it needs. */
  views: Record<string, string[]>
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const CONTENT_TYPES: Record<string, string> = {
  js: 'application/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/**
 * Styles of a view reach only that view: the shell names it at `main`, and each rule of
 * views/<name>/<name>.css asks for the name. `:where` adds no weight to a rule.
 */
const scopedStyles: Plugin = {
  name: 'scoped-styles',
  setup({ onLoad }) {
    onLoad({ filter: /\/views\/[\w-]+\/[\w-]+\.css$/ }, async ({ path }) => ({
      contents: `:where([data-view="${basename(dirname(path))}"]) {\n${await readFile(path, 'utf8')}\n}`,
      loader: 'css',
    }))
  },
}

export const OPTIONS = {
  absWorkingDir: FOLDER,
  entryPoints: ['app.tsx'],
  bundle: true,
  splitting: true,
  format: 'esm',
  // Browsers since the middle of 2023.
  target: 'es2022',
  // Browsers of that time know no rule within a rule.
  supported: { nesting: false },
  plugins: [scopedStyles],
  minify: true,
  metafile: true,
  legalComments: 'none',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: 'assets',
  write: false,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfigRaw: {},
  logLevel: 'silent',
} satisfies BuildOptions

/**
 * Builds the dashboard from its modules: a script for each view, and what they share. On one machine it runs
 * for the first request of the dashboard, and for AWS when the functions are bundled. Only this file runs in
 * Node; the others are for browsers. Throws the error of esbuild.
 */
export async function buildDashboard(): Promise<Dashboard> {
  const { outputFiles, metafile } = await build(OPTIONS)
  const files = outputFiles.map(({ path, text }) => {
    const name = basename(path)
    return [name, { contentType: CONTENT_TYPES[name.split('.').pop() ?? ''] ?? 'text/plain', text }] as const
  })
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const nameOf = (isIt: (entryPoint: string, name: string) => boolean) =>
    [...outputs].find(([name, { entryPoint = '' }]) => isIt(entryPoint, name))?.[0] ?? ''
  /** The script with those that it imports: a browser that knows all of them asks for all at once. */
  const withImports = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    for (const { path, kind } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement') withImports(basename(path), found)
    }
    return found
  }
  const script = nameOf((entryPoint, name) => entryPoint === 'app.tsx' && name.endsWith('.js'))
  const views = [...outputs].flatMap(([name, { entryPoint = '' }]) => {
    const view = /^views\/([\w-]+)\/view\.tsx$/.exec(entryPoint)?.[1]
    return view === undefined ? [] : [[view, [...withImports(script), ...withImports(name)]] as const]
  })
  return {
    files: Object.fromEntries(files),
    entry: {
      script,
      style: nameOf((_, name) => name.endsWith('.css')),
      views: Object.fromEntries(
        views.map(([view, names]) => [view, [...new Set(names)].filter(name => name !== script)]),
      ),
    },
  }
}

const { splitting: _, entryNames: __, chunkNames: ___, ...ONE_FILE } = OPTIONS

/**
 * Builds the page that draws answers of the tools in a chat (dashboard/chat-view/), with the charts of the
 * dashboard: one document that asks for nothing, with a policy that allows nothing but its own script and
 * styles. Only the script changes what it shows, and it does so by the style of elements, which needs no
 * permission. Throws the error of esbuild.
 */
export async function buildChatView(): Promise<string> {
  const { outputFiles } = await build({
    ...ONE_FILE,
    entryPoints: ['chat-view/main.tsx', 'chat-view/chat-view.css', 'styles/dark.css'],
    format: 'iife',
    metafile: false,
  })
  const textOf = (name: string) => outputFiles.find(({ path }) => basename(path) === name)?.text.trim() ?? ''
  const [script, style, dark] = [textOf('main.js'), textOf('chat-view.css'), textOf('dark.css')]
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)} ${hashOf(dark)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Footfall</title>
<style>${style}</style>
<style id="dark" media="(prefers-color-scheme: dark)">${dark}</style>
</head>
<body>
<main id="view"></main>
<script>${script}</script>
</body>
</html>
`
}

/** What a policy names an inline script or style by. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
