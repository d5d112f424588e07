import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '../signals/evidence/risk-scores.ts';
import type { Session } from './session.ts';

/** A session as events tell it: the Session object of the interface, under its names. */
export function sessionRecord({ project, row, result }: Session): Record<string, unknown> {
  const { network, location, browser, device, bot, mobile, carrier, riskSignalScores } = result;
  const scores = scoresByName(riskSignalScores);
  const { spoofed_ip: _, ...shownScores } = scores;
  return {
    project_id: project.projectId,
    session_id: row.session_id,
    start_time: row.start_time.toISOString(),
    ...(row.true_country_code ? { true_country_code: row.true_country_code } : {}),
    device_id: row.device_id,
    source: row.source,
    source_version: row.source_version,
    network: {
      ip_address: network.ipAddress,
      service_provider: network.serviceProvider,
      connection_type: network.connectionType,
    },
    location: {
      continent: location.continent,
      country_code: location.countryCode,
      state: location.state,
      city: location.city,
      zip_code: location.zipCode,
      timezone: location.timezone,
      latitude: location.latitude,
      longitude: location.longitude,
    },
    browser: {
      type: browser.type,
      version: browser.version,
      language: browser.language,
      user_agent: browser.userAgent,
      timezone: browser.timezone,
    },
    device: {
      category: device.category,
      type: device.type,
      os: device.os,
      gpu: device.gpu,
      cpu_cores: device.cpuCores,
      memory: device.memory,
      screen_height: device.screenHeight,
      screen_width: device.screenWidth,
    },
    bot: {
      mouse_num_events: bot.mouseNumEvents,
      click_num_events: bot.clickNumEvents,
      keyboard_num_events: bot.keyboardNumEvents,
      touch_num_events: bot.touchNumEvents,
      clipboard_num_events: bot.clipboardNumEvents,
    },
    risk_signals: scoresByName(result.riskSignals),
    risk_signal_scores: shownScores,
    risk_signal_details: {
      network: result.riskSignalDetails.network.map(reasonRecord),
      device: result.riskSignalDetails.device.map(reasonRecord),
    },
    ...(mobile ? { mobile: mobileRecord(mobile) } : {}),
    ...(carrier
      ? {
          carrier: {
            name: carrier.name,
            country_code: carrier.countryCode,
            mcc: carrier.mcc,
            mnc: carrier.mnc,
          },
        }
      : {}),
    location_spoofing: riskSignalScores.locationSpoofing,
  };
}

/** Values of the risk signals under their names on the interface, as `device_risk`. */
export function scoresByName<Value>(values: Readonly<Record<RiskScoreKey, Value>>): Record<string, Value> {
  return Object.fromEntries(RISK_SCORE_KEYS.map((key) => [scoreName(key), values[key]]));
}

type Result = Session['result'];

function reasonRecord(reason: Result['riskSignalDetails']['network'][number]) {
  const { code, contributions, confidence, source, sourceAsOf, observed } = reason;
  return { code, contributions, confidence, source, source_as_of: sourceAsOf, observed };
}

function mobileRecord(mobile: NonNullable<Result['mobile']>) {
  const { brand, model, ramMb, bootCount, uptimeSeconds, battery, languages, integrity } = mobile;
  return {
    brand,
    model,
    ram_mb: ramMb,
    boot_count: bootCount,
    uptime_seconds: uptimeSeconds,
    battery: { level: battery.level, charging: battery.charging },
    languages,
    integrity: { provider: integrity.provider, verdict: integrity.verdict, verdicts: integrity.verdicts },
  };
}
