import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { WorldMapProps } from '#dashboard/charts/world-map.tsx'

/**
 * A map of countries above the list of them. Its outlines are a script of their own, which only this part
 * loads; its place is kept meanwhile. If it cannot be loaded, the list says the same.
 */
export function CountryMap(props: WorldMapProps) {
  const [loaded, setLoaded] = useState<{ Drawn: FunctionComponent<WorldMapProps> } | null>(null)
  useEffect(() => {
    let isLeft = false
    import('#dashboard/charts/world-map.tsx').then(
      ({ default: Drawn }) => !isLeft && setLoaded({ Drawn }),
      () => {},
    )
    return () => {
      isLeft = true
    }
  }, [])
  return <div class="world-place">{loaded !== null && <loaded.Drawn {...props} />}</div>
}
