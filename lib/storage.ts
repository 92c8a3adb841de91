import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import { EXPORT_LIMITS, EXPORT_PREFIX } from '#schemas/exports'
import { REPLAY_LIMITS, REPLAY_PREFIX } from '#schemas/replays'
import { acceptFindings } from './accept-findings.ts'
import { TableBackup } from './backup.ts'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'
import { keptResources, pinLogicalId } from './kept-resources.ts'

/** Where Lambda puts the batches that it gave up. Lambda chooses this prefix. */
export const FAILURES_PREFIX = 'aws/lambda/'
/** Records that could not be read (core/lake/model/keys.ts). */
export const QUARANTINE_PREFIX = 'quarantine/'
/** Records of a newer version, until it appends them again (core/lake/consume/set-aside.ts). */
export const WAITING_PREFIX = 'waiting/'

/**
 * How long quarantined records and failed batches stay. They hold events that an erasure cannot find, so they
 * do not stay long.
 */
const SET_ASIDE_RETENTION = Duration.days(30)

/**
 * The S3 bucket of the lake and the state table. Both stay when the stack is deleted, another stack can take
 * them over, and both can be restored to a moment of the last days (docs/aws.md). When a first deployment
 * fails, its rollback deletes the empty S3 bucket but keeps the table: deletion protection of the table would
 * make the rollback fail.
 */
export class Storage extends Construct {
  readonly bucket: Bucket
  readonly table: Table
  /** The key of the e-mail index (core/ingest/email-hash.ts). */
  readonly emailKey: Secret

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id)
    this.bucket = createLakeBucket(this, config)
    this.table = createStateTable(this, config)
    if (config.backupDays !== undefined) new TableBackup(this, 'Backup', this.table, config)
    this.emailKey = createEmailKey(this, config)
    pinLogicalId(this.bucket, 'lake')
    pinLogicalId(this.table, 'state')
    pinLogicalId(this.emailKey, 'emailKey')
  }
}

/**
 * The S3 bucket of the lake. By default it is encrypted with keys of S3: a KMS key costs $1 a month and
 * requests, and protects no better than the bucket's policy. With the option keyArn, S3 makes a key of the
 * bucket from it, so that not every object is a request to KMS. The bucket is versioned, and no function may
 * delete a version, so neither a bug nor a stolen role can destroy events: replaced and deleted objects stay
 * for days.
 */
function createLakeBucket(scope: Construct, config: Config): Bucket {
  const { stackName, replicaBucketArn, replicaKeyArn, accessLogBucketArn } = config
  const key = dataKey(scope, config)
  const bucket = new Bucket(scope, 'Lake', {
    ...(key === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }),
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    versioned: true,
    lifecycleRules: lifecycleRules(),
    ...(accessLogBucketArn !== undefined && {
      serverAccessLogsBucket: Bucket.fromBucketArn(scope, 'AccessLogs', accessLogBucketArn),
      serverAccessLogsPrefix: `${stackName}/`,
    }),
    ...(replicaBucketArn !== undefined && {
      replicationRules: [
        {
          id: 'copies',
          priority: 0,
          destination: Bucket.fromBucketArn(scope, 'Replica', replicaBucketArn),
          // What the service deletes is deleted there too, so that erased events do not stay.
          deleteMarkerReplication: true,
          ...(replicaKeyArn !== undefined && {
            kmsKey: Key.fromKeyArn(scope, 'ReplicaKey', replicaKeyArn),
            sseKmsEncryptedObjects: true,
          }),
        },
      ],
    }),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  acceptFindings(bucket, {
    ...(accessLogBucketArn === undefined && {
      'AwsSolutions-S1':
        'Access logs write one line for each request of an object, so they are an option (accessLogBucketArn). Only the functions of this stack read and write here.',
    }),
    ...(replicaKeyArn !== undefined && {
      'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]': COPY_KEYS,
      'AwsSolutions-IAM5[Action::kms:ReEncrypt*]': COPY_KEYS,
    }),
    ...(replicaBucketArn !== undefined && {
      [`AwsSolutions-IAM5[Resource::<${keptResources.lake.logicalId}.Arn>/*]`]: EVERY_FILE,
      [`AwsSolutions-IAM5[Resource::${replicaBucketArn}/*]`]: EVERY_FILE,
    }),
  })
  return bucket
}

const COPY_KEYS =
  'The stars stand for the forms of two actions on two named keys. Only S3 itself can take this role.'
const EVERY_FILE = 'The copy has every file of the bucket. Only S3 itself can take this role.'

function lifecycleRules(): LifecycleRule[] {
  return [
    {
      id: 'unfinished-uploads',
      abortIncompleteMultipartUploadAfter: Duration.days(2),
    },
    // A deleted or replaced object can be restored for two weeks. After that, the data of an erased user is
    // gone too.
    {
      id: 'old-versions',
      noncurrentVersionExpiration: Duration.days(14),
      expiredObjectDeleteMarker: true,
    },
    // The service deletes every hot file a day after its rows are in segments. One more day is enough to get
    // it back. Identify requests, links and traits are replaced every few minutes, and have ids and traits.
    ...[tables.events_hot, tables.identity_hot, tables.links, tables.user_traits].map(({ prefix }) => ({
      id: `old-versions-${prefix}`,
      prefix: `${prefix}/`,
      noncurrentVersionExpiration: Duration.days(1),
    })),
    {
      id: 'replays',
      prefix: REPLAY_PREFIX,
      // A day more than the items, so that no replay is listed without its chunks.
      expiration: Duration.days(REPLAY_LIMITS.retention_days + 1),
      noncurrentVersionExpiration: Duration.days(1),
    },
    {
      id: 'exports',
      prefix: EXPORT_PREFIX,
      // A day more than the items, which scheduler goes by.
      expiration: Duration.days(EXPORT_LIMITS.kept_days + 1),
      noncurrentVersionExpiration: Duration.days(1),
    },
    ...[QUARANTINE_PREFIX, WAITING_PREFIX, FAILURES_PREFIX].map(prefix => ({
      id: prefix.replaceAll('/', '-').slice(0, -1),
      prefix,
      expiration: SET_ASIDE_RETENTION,
    })),
  ]
}

/**
 * The key is made once and never rotated: with another key no e-mail address that is in the index is found.
 */
function createEmailKey(scope: Construct, config: Config): Secret {
  const encryptionKey = dataKey(scope, config)
  const secret = new Secret(scope, 'EmailKey', {
    description: 'Key of the index of e-mail addresses',
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    ...(encryptionKey && { encryptionKey }),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  acceptFindings(secret, {
    'AwsSolutions-SMG4':
      'The index holds hashes under this key. With a new key no address would be found again.',
  })
  return secret
}

/**
 * The state table. By default it has DynamoDB's free encryption: a KMS key costs a fee and protects no better
 * here.
 */
function createStateTable(scope: Construct, config: Config): Table {
  const encryptionKey = dataKey(scope, config)
  return new Table(scope, 'State', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: 'expires_at',
    ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  })
}
