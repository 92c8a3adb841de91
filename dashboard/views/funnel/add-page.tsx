import { useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import { call } from '#dashboard/api'
import { datedOf } from '#dashboard/question'
import { pathLabel } from '#dashboard/texts'
import type { Address } from '#dashboard/url'
import { AddField } from './add-field.tsx'
import { MAX_PATTERN_CHARS, pageStep, type Step } from './steps.ts'

/** Paths that are offered. */
const OFFERED = 50

type Props = { address: Address; project: string; add(step: Step): void }

/**
 * Adds a page as a step: a path, or a pattern of paths. The paths are asked for when the field has the focus.
 */
export function AddPage({ address, project, add }: Props) {
  const [isAsked, setAsked] = useState(false)
  const paths = call('GET /breakdown', {
    ...{ ...datedOf(address), project, property: 'path', event: 'page_view', limit: OFFERED },
  })
  const answers = useAnswers<{ paths?: typeof paths }>(isAsked ? { paths } : {})
  const found = answers.paths?.data?.values ?? []
  return (
    <AddField
      label="Page of a further step"
      button="Add page"
      placeholder="Page, such as /blog/*"
      title="* stands for any text without a slash, ** for any text"
      maxLength={MAX_PATTERN_CHARS}
      offered={found.map(({ value }) => ({ value, label: pathLabel(value) }))}
      onFocus={() => setAsked(true)}
      add={text => add(pageStep(text))}
    />
  )
}
