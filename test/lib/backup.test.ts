import { expect, test } from 'vitest'
import { readConfig } from '#lib/config'
import { keptResources } from '#lib/kept-resources'
import { synthesize } from './synthesized.ts'

/** Backups that outlive the table and the region, which are options. */

const plain = synthesize()
const backupVaultArn = 'arn:aws:backup:eu-central-1:123456789012:backup-vault:copies'
const full = synthesize({ backupDays: 35, backupVaultArn, replicaBucketArn: 'arn:aws:s3:::lake-copy' })

test('by default nothing is copied, and the table has point-in-time recovery only', () => {
  for (const type of ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupVault', 'AWS::Backup::BackupSelection'])
    expect(plain.all(type)).toEqual([])
  expect(plain.only('AWS::S3::Bucket').Properties).not.toHaveProperty('ReplicationConfiguration')
})

test('each night the table is backed up, kept for the days of the option, and copied to the vault', () => {
  const { BackupPlan } = full.only('AWS::Backup::BackupPlan').Properties as { BackupPlan: object }
  expect(BackupPlan).toMatchObject({
    BackupPlanRule: [
      {
        ScheduleExpression: 'cron(0 3 * * ? *)',
        Lifecycle: { DeleteAfterDays: 35 },
        CopyActions: [{ DestinationBackupVaultArn: backupVaultArn, Lifecycle: { DeleteAfterDays: 35 } }],
      },
    ],
  })
  const { BackupSelection } = full.only('AWS::Backup::BackupSelection').Properties
  expect(JSON.stringify(BackupSelection)).toContain(keptResources.state.logicalId)
  // AWS deletes no vault that has backups.
  expect(full.only('AWS::Backup::BackupVault').DeletionPolicy).toMatch(/^Retain/)
  const withoutCopy = synthesize({ backupDays: 7 })
  expect(JSON.stringify(withoutCopy.only('AWS::Backup::BackupPlan'))).not.toContain('CopyActions')
})

test('each file of the lake is copied to the other bucket, with its deletion, and only S3 may do that', () => {
  const { ReplicationConfiguration } = full.only('AWS::S3::Bucket').Properties
  expect(ReplicationConfiguration).toMatchObject({
    Rules: [
      {
        Status: 'Enabled',
        DeleteMarkerReplication: { Status: 'Enabled' },
        Destination: { Bucket: 'arn:aws:s3:::lake-copy' },
      },
    ],
  })
  const roles = full.all('AWS::IAM::Role').filter(([id]) => id.includes('Replication'))
  expect(roles).toHaveLength(1)
  expect(JSON.stringify(roles[0]![1].Properties.AssumeRolePolicyDocument)).toContain('s3.amazonaws.com')
})

test('a vault for copies without backups is refused, and so is what is no vault', () => {
  expect(() => readConfig({ backupVaultArn })).toThrow(/backupDays/)
  expect(() => readConfig({ backupDays: 7, backupVaultArn: 'copies' })).toThrow(/ARN of a backup vault/)
})
