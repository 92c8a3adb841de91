import { useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import { call } from '#dashboard/api'
import { datedOf } from '#dashboard/question'
import { pathLabel } from '#dashboard/texts'
import type { Address } from '#dashboard/url'

/** Paths that a field offers. */
const OFFERED = 50

/** The most frequent paths of the dates, for a field that takes a page. They are asked for with `ask` alone. */
export function useOfferedPaths(address: Address, project: string) {
  const [isAsked, setAsked] = useState(false)
  const paths = call('GET /breakdown', {
    ...{ ...datedOf(address), project, property: 'path', event: 'page_view', limit: OFFERED },
  })
  const answers = useAnswers<{ paths?: typeof paths }>(isAsked ? { paths } : {})
  const offered = answers.paths?.data?.values ?? []
  return {
    offered: offered.map(({ value }) => ({ value, label: pathLabel(value) })),
    ask: () => setAsked(true),
  }
}
