import { expect, test } from 'vitest'
import { wrapComments } from '#scripts/wrap-comments'

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i % 10}`).join(' ')
/** 18 words of 5 letters, and the blanks between them, have 107 characters. */
const LINE = words(18)

test('a comment of one line that is too wide becomes lines of at most 110 columns', () => {
  const wrapped = wrapComments(`  /** ${words(40)} */\n  const a = 1\n`)
  expect(wrapped.split('\n').every(line => line.length <= 110)).toBe(true)
  expect(wrapped.replace(/\s*\*+\/?\s|\/\*\*/g, ' ').replace(/\s+/g, ' ')).toContain(words(40))
  expect(wrapped).toMatch(/^ {2}\/\*\*\n {3}\* word0 [\s\S]*\n {3}\*\/\n {2}const a = 1\n$/)
})

test('a second run changes nothing', () => {
  const once = wrapComments(
    `/** ${words(50)} */\nconst a = 1\n// ${words(30)}\n// ${words(5)}\nconst b = 1\n`,
  )
  expect(wrapComments(once)).toBe(once)
})

test('only the paragraph with the wide line changes, and list items keep their indent', () => {
  const source = `/**\n * Short.\n * Lines.\n *\n * - ${words(25)}\n * - ${words(2)}\n */\nconst a = 1\n`
  expect(wrapComments(source)).toBe(
    `/**\n * Short.\n * Lines.\n *\n * - ${words(17)}\n *   ${words(25).slice(words(17).length + 1)}\n * - ${words(2)}\n */\nconst a = 1\n`,
  )
})

test('line comments that follow each other are one paragraph', () => {
  expect(wrapComments(`// ${LINE} word8\n// end\nconst a = 1\n`)).toBe(
    `// ${LINE}\n// word8 end\nconst a = 1\n`,
  )
})

test.each([
  ['a comment of 110 columns', `// ${LINE}\nconst a = 1\n`],
  ['a comment beside code', `const a = 1 // ${words(40)}\n`],
  ['a text that looks like a comment', `const a = \`\n// ${words(40)}\n\`\n`],
  ['a row of a table', `/**\n * | ${words(40)} |\n */\nconst a = 1\n`],
  ['a word that is too long', `// ${'w'.repeat(120)}\nconst a = 1\n`],
  ['a comment for Biome', `// biome-ignore lint: ${words(40)}\nconst a = 1\n`],
])('%s stays as it is', (_, source) => {
  expect(wrapComments(source)).toBe(source)
})
