import type { ComponentChildren } from 'preact'

export type FunnelStep = {
  name: string
  users: number
  /** Of those of the first step, and of the step before, 0 to 1. */
  fromFirst: number
  fromBefore: number
  /** Who did not come to the next step; null at the last one. */
  lost: number | null
  /** What a click on the lost ones shows. */
  lostHref?: string | undefined
  note?: string
  /** Conditions of the step, in words. */
  where?: string
}

export type FunnelProps = {
  name: string
  steps: readonly FunnelStep[]
  count(value: number): string
  rate(value: number): string
  /** Draws how many came, where that is more than a text. */
  draw?(step: FunnelStep, index: number): ComponentChildren
}

/** The steps of a funnel, one below the other: how many came, and how many were lost on the way. */
export function FunnelChart({ name, steps, count, rate, draw }: FunnelProps) {
  return (
    <ol class="funnel" aria-label={name}>
      {steps.map((each, i) => {
        const { name: step, users, fromFirst, fromBefore, lost, lostHref, note, where } = each
        return (
          <li key={`${i} ${step}`}>
            <div class="step">
              <span class="index" aria-hidden="true">
                {i + 1}
              </span>
              <span class="label">
                {step}
                {where !== undefined && <small>{where}</small>}
              </span>
              {draw === undefined ? <b>{count(users)}</b> : draw(each, i)}
              <span class="rate">{rate(fromFirst)}</span>
            </div>
            <div class="track" aria-hidden="true">
              <span style={{ inlineSize: `${Math.max(0, Math.min(1, fromFirst)) * 100}%` }} />
            </div>
            {i > 0 && <span class="hidden">{rate(fromBefore)} of the step before</span>}
            {lost !== null && (
              <p class="lost">
                <span aria-hidden="true">↓</span>
                {lostHref === undefined ? (
                  <span>{count(lost)} lost</span>
                ) : (
                  <a href={lostHref}>{count(lost)} lost</a>
                )}
                {users > 0 && <span>{rate(lost / users)}</span>}
                {note !== undefined && <span>{note}</span>}
              </p>
            )}
          </li>
        )
      })}
    </ol>
  )
}
