import { call } from '#dashboard/api'
import { MAX_PATTERN_CHARS } from '#dashboard/goal'
import { useOfferedPaths, valuesOfPaths } from '#dashboard/parts/offered-paths'
import type { Address } from '#dashboard/url'
import { AddField } from './add-field.tsx'
import { pageStep, type Step } from './steps.ts'

type Props = { address: Address; project: string; add(step: Step): void }

/**
 * Adds a page as a step: a path, or a pattern of paths. The paths are asked for when the field has the focus.
 */
export function AddPage({ address, project, add }: Props) {
  const { offered, ask } = useOfferedPaths(call('GET /breakdown', valuesOfPaths(address, project)))
  return (
    <AddField
      label="Page of a further step"
      button="Add page"
      placeholder="Page, such as /blog/*"
      title="* stands for any text without a slash, ** for any text"
      maxLength={MAX_PATTERN_CHARS}
      offered={offered}
      onFocus={ask}
      add={text => add(pageStep(text))}
    />
  )
}
