import { useLayoutEffect, useRef } from 'preact/hooks'
import { shownViews } from '#dashboard/shown-views'
import type { Address } from '#dashboard/url'
import { KEYS } from './use-keys.ts'

/** All keys, after `?`. */
export function KeyList({ address, close }: { address: Address; close(): void }) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => ref.current?.showModal(), [])
  const goTo = shownViews(address).flatMap(({ key, title }) => (key ? [[`g ${key}`, title] as const] : []))
  const rows = [...KEYS, ...goTo]
  return (
    <dialog ref={ref} class="keys" aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {rows.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="close" aria-label="Close">
          ×
        </button>
      </form>
    </dialog>
  )
}
