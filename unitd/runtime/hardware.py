"""What the board measures of itself: load, memory, temperature, addresses. Everything here blocks for a moment."""

from typing import Any

CPU_SAMPLE_SECONDS = 0.25


def measure_board() -> dict[str, Any]:
    """Return load and memory in percent, the temperature in thousandths of a degree, and the interfaces."""
    import psutil  # memory that a board without this question never pays

    return {
        "cpu_loadavg": round(psutil.cpu_percent(CPU_SAMPLE_SECONDS)),
        "eth_info": interfaces(),
        "mem": memory_percent(),
        "temperature": temperature(),
    }


def memory_percent() -> int:
    """Return how much of the memory is in use."""
    import psutil

    return round(psutil.virtual_memory().percent)


def interfaces() -> list[dict[str, str]]:
    """Return name, IPv4 address and speed in Mb/s of every interface that is up."""
    import psutil

    states = psutil.net_if_stats()
    return [
        {"ip": address.address, "name": name, "speed": str(states[name].speed)}
        for name, addresses in psutil.net_if_addrs().items()
        for address in addresses
        if address.family.name == "AF_INET" and name in states and states[name].isup
    ]


def temperature() -> int:
    """Return the hottest sensor in thousandths of a degree, 0 on a board without one."""
    import psutil

    readings = [each.current for sensor in psutil.sensors_temperatures().values() for each in sensor]
    return round(max(readings, default=0.0) * 1000)
