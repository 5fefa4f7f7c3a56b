"""Cameras: V4L2 devices, network streams and files, through PyAV."""
