import type { ReasonCode } from '@vouchgraph/signals';
import type { Session } from './session.ts';

/** The facts of a session that its events contain. */
export function sessionSnapshot({ project, row, result }: Session) {
  const { network, location, browser, device, bot, mobile, carrier } = result;
  const { network: networkReasons, device: deviceReasons } = result.riskSignalDetails;
  return {
    projectId: project.projectId,
    sessionId: row.session_id,
    startTime: row.start_time.toISOString(),
    ...(row.true_country_code ? { trueCountryCode: row.true_country_code } : {}),
    deviceId: row.device_id,
    source: row.source,
    sourceVersion: row.source_version,
    network,
    location,
    browser,
    device,
    bot,
    riskSignals: result.riskSignals,
    riskSignalScores: result.riskSignalScores,
    riskSignalDetails: {
      network: networkReasons.map(reasonSnapshot),
      device: deviceReasons.map(reasonSnapshot),
    },
    ...(mobile ? { mobile } : {}),
    ...(carrier ? { carrier } : {}),
    locationSpoofing: result.riskSignalScores.locationSpoofing,
  };
}

export type SessionSnapshot = ReturnType<typeof sessionSnapshot>;

function reasonSnapshot({ observations: _, ...reason }: ReasonCode): Omit<ReasonCode, 'observations'> {
  return reason;
}
