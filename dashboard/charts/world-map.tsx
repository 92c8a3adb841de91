import { WORLD, WORLD_HEIGHT, WORLD_WIDTH } from './world-shapes.ts'

export type WorldMapProps = {
  /** What the map shows, for screen readers; the list beside it has the numbers. */
  name: string
  /** By the code of the country in capitals. */
  values: ReadonlyMap<string, number>
  /** What a country is called, with its number. */
  label(code: string, value: number): string
  /** What a click on a country does. The list beside the map does the same for the keyboard. */
  choose?: ((code: string) => void) | undefined
}

/** How strong the colour of a country with the least is; that of the one with the most is 1. */
const WEAKEST = 0.15

/** The world with a colour for each country: the stronger, the more. Where there is nothing, it is grey. */
export default function WorldMap({ name, values, label, choose }: WorldMapProps) {
  const most = Math.max(0, ...values.values())
  const chooseAt = ({ target, button }: PointerEvent) => {
    const code = button === 0 && (target as SVGElement).dataset.country
    if (code) choose?.(code)
  }
  return (
    <svg
      class="world"
      viewBox={`0 0 ${WORLD_WIDTH} ${WORLD_HEIGHT}`}
      role="img"
      aria-label={name}
      onPointerUp={chooseAt}
    >
      {Object.entries(WORLD).map(([code, path]) => {
        const value = values.get(code) ?? 0
        if (value <= 0) return <path key={code} class="land" d={path} />
        // By the root, because one country often has most of all visitors.
        const strength = WEAKEST + (1 - WEAKEST) * Math.sqrt(value / most)
        return (
          <path key={code} class="seen" d={path} fill-opacity={strength.toFixed(2)} data-country={code}>
            <title>{label(code, value)}</title>
          </path>
        )
      })}
    </svg>
  )
}
