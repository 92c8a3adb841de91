import { hash } from 'node:crypto'
import type { RecordedStatement } from './recording-engine.ts'

/** The statements of each lake, by the name of the lake. */
export type LakeStatements = Map<string, RecordedStatement[]>

/**
 * Chooses at most `most` statements of each kind, with rows and of different lakes where there are such.
 * Statements of one kind differ in numbers, times and parameters only. Trino needs 0.2 s of CPU time to plan
 * a statement, so all thousands of them take too long.
 */
export function chooseStatements(recorded: LakeStatements, most: number): LakeStatements {
  const all = [...recorded].flatMap(([lake, statements]) =>
    statements.map(statement => ({ lake, statement, kind: kindOf(statement.query.text) })),
  )
  const kinds = [...Map.groupBy(all, ({ kind }) => kind).values()]
  const chosen = kinds.flatMap((ofKind, i) => {
    // Each kind begins with another lake, so that every lake has its share.
    const lakes = [...new Set(ofKind.map(({ lake }) => lake))]
    const placeOf = (lake: string) => (lakes.indexOf(lake) + i) % lakes.length
    const ranked = ofKind.toSorted(
      (a, b) =>
        Number(b.statement.rows.length > 0) - Number(a.statement.rows.length > 0) ||
        placeOf(a.lake) - placeOf(b.lake),
    )
    const firstOfLakes = ranked.filter(
      ({ lake }, index) => ranked.findIndex(other => other.lake === lake) === index,
    )
    return [...new Set([...firstOfLakes, ...ranked])].slice(0, most)
  })
  const statementsOf = (name: string) =>
    chosen.filter(({ lake }) => lake === name).map(({ statement }) => statement)
  return new Map([...recorded.keys()].map(lake => [lake, statementsOf(lake)]))
}

/** At most `count` of the statements: others for each seed, and the same for the same one. */
export function chooseSome(chosen: LakeStatements, count: number, seed: number): LakeStatements {
  const all = [...chosen.values()].flat()
  const orderOf = new Map(all.map(each => [each, hash('sha256', `${seed} ${kindOf(each.query.text)}`)]))
  const kept = new Set(
    all
      .toSorted((a, b) => ((orderOf.get(a) ?? '') < (orderOf.get(b) ?? '') ? -1 : 1))
      .slice(0, Math.min(count, all.length)),
  )
  return new Map([...chosen].map(([lake, statements]) => [lake, statements.filter(each => kept.has(each))]))
}

/** The text without its numbers and times. Names of columns and texts keep their letters. */
function kindOf(text: string): string {
  return text.replaceAll(/\d+/g, '0').replaceAll(/0(, 0)+/g, '0')
}
