/** What one check of a doctor has found. `action`: what to do, for a problem and for most notes. */
export type Finding = { check: string; level: 'good' | 'note' | 'problem'; text: string; action?: string }

/** Judges the facts; null: the check does not apply to them. */
export type Check<Facts> = (facts: Facts) => Omit<Finding, 'check'> | null

const MARKS = { good: 'ok', note: 'note', problem: 'PROBLEM' } as const

/** What the checks of a table find, in its order. */
export function runChecks<Facts>(checks: Readonly<Record<string, Check<Facts>>>, facts: Facts): Finding[] {
  return Object.entries(checks).flatMap(([check, judge]) => {
    const finding = judge(facts)
    return finding === null ? [] : [{ check, ...finding }]
  })
}

export function good(text: string): Omit<Finding, 'check'> {
  return { level: 'good', text }
}

export function countProblems(findings: readonly Finding[]): number {
  return findings.filter(({ level }) => level === 'problem').length
}

/** One line for each finding, and one for what to do. */
export function findingsText(findings: readonly Finding[]): string {
  return findings
    .flatMap(({ check, level, text, action }) => [
      `${MARKS[level].padEnd(8)} ${check.padEnd(14)} ${text}`,
      ...(action === undefined ? [] : [`${' '.repeat(24)}${action}`]),
    ])
    .join('\n')
}
