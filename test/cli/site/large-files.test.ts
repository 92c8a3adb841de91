import { expect, test } from 'vitest'
import { insertedBefore } from '#cli/site/insert'
import { withScriptComponent } from '#cli/site/next'
import type { Site } from '#cli/site/site-files'
import { siteKindOf, siteKinds } from '#cli/site/site-kinds'

/** The largest file that is read (cli/site/site-files.ts), in characters. A quadratic time would be hours. */
const LARGE = 1_048_576
const SNIPPET = { src: 'https://stats.example.com/tracker.js', project: 'shop', token: 'aat_1' }

function filled(piece: string): string {
  return piece.repeat(Math.ceil(LARGE / piece.length)).slice(0, LARGE)
}

/** A site whose every file has the text. */
function siteOf(text: string, paths: readonly string[]): Site {
  return { folder: '/site', paths, read: path => (paths.includes(path) ? text : null) }
}

const PIECES = [
  ...['<!--', '<script ', '<style>', '<?', '{{/*', '{% comment %}', '*/ ', '{% endcomment ', '</script '],
  ...[
    'import ',
    'import\n',
    'import a\n',
    "import 'a'\n",
    '/*',
    '\n\n',
    '* ',
    'theme = [ ',
    'theme =',
    '\ntheme\n',
  ],
  ...['</html ', '</Head ', '<Head ', 'Theme Name', '<?php', ' ', '"', 'data-project '],
]

test.each(PIECES)('files of 1 MiB of %j are read', piece => {
  const text = filled(piece)
  expect(insertedBefore(text, /<\/head\s*>/i, 'x')).toBeNull()
  expect(withScriptComponent(`${text}</html>`, SNIPPET)).not.toBe(text)
  const paths = ['style.css', 'config.toml', 'content/a.md', 'layouts/a.html', 'index.html', 'functions.php']
  const site = siteOf(text, paths)
  expect(siteKindOf(site)?.name).toBe('Hugo')
  for (const kind of siteKinds) expect(kind.changes(site, SNIPPET)).toBeInstanceOf(Array)
})
