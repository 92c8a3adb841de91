/**
 * `npm run bench -- scan`: how long analyses take (scan-times.ts), then how good they are (scan-quality.ts).
 * The last line is one number: plans that the owners accept, percent. --quality: only that
 */
if (!process.argv.includes('--quality')) await import('./scan-times.ts')
await import('./scan-quality.ts')
