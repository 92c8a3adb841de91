import type { Block } from './blocks.ts'

/**
 * The blocks of an answer, and those of the range that it is compared with. The tables of that one are
 * `previous_<name>` in CSV.
 */
export function besideCompared<Of extends { previous?: object | undefined }>(
  answer: Of,
  blocksOf: (each: Of) => Block[],
): Block[] {
  if (answer.previous === undefined) return blocksOf(answer)
  const compared = blocksOf({ ...answer, ...answer.previous })
  return [
    ...blocksOf(answer),
    ...compared.map(block => ('name' in block ? { ...block, name: `previous_${block.name}` } : block)),
  ]
}
