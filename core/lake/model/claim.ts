/**
 * A range of one shard, reserved before its hot file is written. The content of the file follows from it
 * alone.
 */
export type Claim = { first: string; last: string; epoch: number }
