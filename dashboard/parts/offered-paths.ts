import { useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import type { Answer, Call } from '#dashboard/api'
import { datedOf } from '#dashboard/question'
import { pathLabel } from '#dashboard/texts'
import type { Address } from '#dashboard/url'

/** Paths that a field offers. */
const OFFERED = 50

/** What GET /breakdown is asked for the most frequent paths of the dates. */
export function valuesOfPaths(address: Address, project: string) {
  return { ...datedOf(address), project, property: 'path', event: 'page_view', limit: OFFERED }
}

/** The paths that a field for a page offers. They are asked for with `ask` alone. */
export function useOfferedPaths(paths: Call<Answer<'GET /breakdown'>>) {
  const [isAsked, setAsked] = useState(false)
  const answers = useAnswers<{ paths?: typeof paths }>(isAsked ? { paths } : {})
  const offered = answers.paths?.data?.values ?? []
  return {
    offered: offered.map(({ value }) => ({ value, label: pathLabel(value) })),
    ask: () => setAsked(true),
  }
}
