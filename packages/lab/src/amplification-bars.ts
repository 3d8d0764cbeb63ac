import Chartscii from "chartscii";

export interface AmplificationBar {
  readonly name: string;
  readonly amplification: number;
  readonly color: string;
}

export function amplificationBars(title: string, bars: readonly AmplificationBar[]): string {
  const data = bars.map(({ name, amplification, color }) => ({
    label: `${name} ${times(amplification)}`,
    value: amplification,
    color,
  }));
  return new Chartscii(data, {
    title,
    width: 60,
    barSize: 1,
    padding: 0,
    sort: false,
    naked: true,
  }).create();
}

export function times(amplification: number): string {
  return `${amplification.toFixed(3)}x`;
}
