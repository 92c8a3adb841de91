import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Writes dashboard/charts/world-shapes.ts: the outlines of countries for the map of the dashboard. They are
 * those of Natural Earth (public domain) at 1:110,000,000, as the package world-atlas (ISC) has them; the
 * codes of countries are of i18n-iso-countries (MIT). Neither is a package of the project, because the
 * outlines change once in years:
 *
 *   npm pack world-atlas@2.0.2 i18n-iso-countries@7.14.0, and unpack both
 *   npm run world-shapes -- <countries-110m.json> <codes.json>
 */

const WIDTH = 720
/**
 * Degrees of latitude that are drawn: without Antarctica, which has no visitors and a third of the height.
 */
const [SOUTH, NORTH] = [-56, 84]
const OUTPUT = 'dashboard/charts/world-shapes.ts'

type Point = readonly [x: number, y: number]
type Topology = {
  transform: { scale: Point; translate: Point }
  arcs: Point[][]
  objects: { countries: { geometries: Geometry[] } }
}
type Geometry =
  | { type: 'Polygon'; id?: string; arcs: number[][] }
  | { type: 'MultiPolygon'; id?: string; arcs: number[][][] }

/** Miller's cylindrical projection, in radians of the equator. */
function millerY(latitude: number): number {
  return 1.25 * Math.log(Math.tan(Math.PI / 4 + 0.4 * ((latitude * Math.PI) / 180)))
}

const SCALE = WIDTH / (2 * Math.PI)
const HEIGHT = Math.round((millerY(NORTH) - millerY(SOUTH)) * SCALE)

function project([longitude, latitude]: Point): Point {
  const shown = Math.min(NORTH, Math.max(SOUTH, latitude))
  return [
    Math.round(((longitude + 180) / 360) * WIDTH),
    Math.round((millerY(NORTH) - millerY(shown)) * SCALE),
  ]
}

/** The points of an arc in degrees: a topology has each as the step from the one before. */
function arcPoints({ arcs, transform: { scale, translate } }: Topology, index: number): Point[] {
  let [x, y] = [0, 0]
  const points = (arcs[index < 0 ? ~index : index] as Point[]).map(([dx, dy]): Point => {
    x += dx
    y += dy
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
  })
  return index < 0 ? points.toReversed() : points
}

/** A ring that goes over the date line has no jump there: its longitudes go on above 180, or below -180. */
function unwrapped(ring: readonly Point[]): Point[] {
  let turn = 0
  return ring.map(([x, y], i): Point => {
    const before = ring[i - 1]
    if (before !== undefined && x - before[0] > 180) turn -= 360
    if (before !== undefined && x - before[0] < -180) turn += 360
    return [x + turn, y]
  })
}

/** The part of a ring on one side of a meridian. */
function clipped(ring: readonly Point[], meridian: number, side: 1 | -1): Point[] {
  const isIn = ([x]: Point) => (x - meridian) * side >= 0
  return ring.flatMap((point, i) => {
    const next = ring[(i + 1) % ring.length] as Point
    const part = (meridian - point[0]) / (next[0] - point[0])
    const crossing: Point = [meridian, point[1] + part * (next[1] - point[1])]
    return [...(isIn(point) ? [point] : []), ...(isIn(point) === isIn(next) ? [] : [crossing])]
  })
}

/** A ring as steps of whole units; an empty text for one that is smaller than a unit. */
function pathOf(ring: readonly Point[]): string {
  const points = ring
    .map(project)
    .filter(([x, y], i, all) => i === 0 || x !== all[i - 1]?.[0] || y !== all[i - 1]?.[1])
  const [first, ...others] = points
  if (first === undefined || others.length < 3) return ''
  let [x, y] = first
  const steps = others.map(([toX, toY]) => {
    const step = `${toX - x} ${toY - y}`
    ;[x, y] = [toX, toY]
    return step
  })
  return `M${first[0]} ${first[1]}l${steps.join(' ').replaceAll(' -', '-')}z`
}

function shapeOf(topology: Topology, geometry: Geometry): string {
  const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs
  const rings = polygons.flat().map(arcs => unwrapped(arcs.flatMap(index => arcPoints(topology, index))))
  return rings
    .flatMap(ring => [-360, 0, 360].map(turn => ring.map(([x, y]): Point => [x + turn, y])))
    .map(ring => pathOf(clipped(clipped(ring, -180, 1), 180, -1)))
    .join('')
}

const [atlas = '', codesFile = ''] = process.argv.slice(2)
const topology = JSON.parse(readFileSync(atlas, 'utf8')) as Topology
const codes = JSON.parse(readFileSync(codesFile, 'utf8')) as [
  alpha2: string,
  alpha3: string,
  numeric: string,
][]
const shapes = topology.objects.countries.geometries
  .flatMap(geometry => {
    const code = codes.find(([, , numeric]) => numeric === geometry.id)?.[0]
    return code === undefined || code === 'AQ' ? [] : [[code, shapeOf(topology, geometry)] as const]
  })
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(
  OUTPUT,
  `/**
 * Outlines of countries by their code, in a picture of ${WIDTH} by ${HEIGHT}. Written by scripts/world-shapes.ts from Natural
 * Earth (public domain). Countries that are smaller than a point of it are missing.
 */
export const WORLD: Readonly<Record<string, string>> = {
${shapes.map(([code, path]) => `  ${code}: '${path}',`).join('\n')}
}

export const WORLD_WIDTH = ${WIDTH}
export const WORLD_HEIGHT = ${HEIGHT}
`,
)
console.log(`wrote ${OUTPUT}: ${shapes.length} countries`)
