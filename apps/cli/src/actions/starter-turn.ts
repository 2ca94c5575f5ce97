/** The turn that `holdfast init` writes. */
export const starterTurn: string = `# yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/turn.schema.json
# A turn: calls that run in parallel unless one depends on another. Run it with: holdfast run turn.yaml
timeout_ms: 60000

calls:
  - call_id: to_lisbon
    tool_id: flight_search
    arguments: { from: OSL, to: LIS }

  # Waits for the first call because it refers to its output.
  - call_id: onwards
    tool_id: flight_search
    arguments:
      from: { $from: to_lisbon, path: offers.0.from }
      to: BER
    optional: true # the turn can succeed without it
`;
