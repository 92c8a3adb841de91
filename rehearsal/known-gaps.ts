/** What holds on AWS or not, and this rehearsal cannot tell. docs/operations.md has it as a list for a first deployment. */
export const KNOWN_GAPS = [
  "rights that AWS's own services need (Athena, CloudFront, the mappings, alarms): only the functions' roles were evaluated, by the emulator's idea of IAM, and not for Athena, Glue and the results in S3, which Trino read with all rights",
  'who may call a function: the emulator calls it without looking into its policy',
  'arm64: functions ran on the processor of this machine, from the same sources and with the same settings',
  "limits: memory of the functions, 6 MB answers, the API's throttling, concurrent executions, Athena's queue and quotas",
  'Lambda itself: its Kinesis poller was played by ours, by the settings of the deployed mapping; cold starts are others',
  'Kinesis itself: reshards, retention, on-demand scaling; throttling and lost answers were put on from outside',
  "CloudFront: caching, TLS, HTTP/2 and 3, the viewer's country, which was added from outside; WAF and custom domains",
  "CORS settings and CloudFront's origin: put right from outside after each deploy (rehearsal/corrections.ts)",
  'Athena: Trino 476 stood for engine version 3; its limits on bytes scanned and the reuse of results were not there',
  "time: what happens after days: cold files and rollups, the state's and the bucket's expiry (npm test shows the first two)",
  'alarms, dashboards, traces, budgets, encryption, backups: they were made, and nothing more',
]
