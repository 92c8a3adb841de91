import { CLASS_WORDS } from './class-words.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import type { LanguageWords } from './language-words.ts'
import { nl } from './nl.ts'
import { NORTHERN } from './northern.ts'
import { pl } from './pl.ts'
import { pt } from './pt.ts'
import { sv } from './sv.ts'
import { tr } from './tr.ts'
import { WORLD } from './world.ts'

/** The languages whose words the reader knows, by their code. A new one is a file and a line,
 * or an entry of a table. */
export const LANGUAGES: Readonly<Record<string, LanguageWords>> = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  nl,
  pl,
  sv,
  tr,
  ja,
  ...Object.fromEntries(
    Object.entries({ ...NORTHERN, ...WORLD }).map(([code, words]) => [
      code,
      { ...words, classes: CLASS_WORDS[code] ?? {} },
    ]),
  ),
}
